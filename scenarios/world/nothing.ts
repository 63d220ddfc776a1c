/** Why a scenario has nothing to look at: thrown, it leaves what was asked for unobserved. */

export class NothingToObserve extends Error {
  override readonly name = "NothingToObserve";
}
