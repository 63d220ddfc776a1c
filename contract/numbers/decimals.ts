/** How finely numbers are shown. */

/** Digits behind the point: what is shown rounded tells no finer. */
export function decimalsOf(value: number | undefined): number {
  const [, digits = "", exponent = "0"] = /(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(`${value}`) ?? [];
  return Math.max(0, digits.length - Number(exponent));
}
