/** Which faults are on, and the hooks that follow from them. */

import type { Fault, FaultScene } from "./faults/fault.ts";
import { combineHooks, type Hooks } from "./hooks.ts";

/** How faults are switched by name. */
export interface FaultSwitches {
  enable(name: string): void;
  disable(name: string): void;
  active(): string[];
}

/** What the service's choices bend, before any fault does and after all of them. */
export interface LawfulHooks {
  before: readonly Partial<Hooks>[];
  after: readonly Partial<Hooks>[];
}

export class Switchboard implements FaultSwitches {
  /** The hooks of all faults that are on. */
  hooks: Hooks;
  private readonly on = new Map<string, Partial<Hooks>>();
  private readonly catalogue: ReadonlyMap<string, Fault>;
  private readonly scene: FaultScene;
  private readonly onChange: () => void;
  private readonly lawful: LawfulHooks;

  constructor(
    faults: readonly Fault[],
    scene: FaultScene,
    lawful: LawfulHooks,
    onChange: () => void,
  ) {
    this.catalogue = new Map(faults.map((fault) => [fault.name, fault]));
    this.scene = scene;
    this.onChange = onChange;
    this.lawful = lawful;
    this.hooks = this.combined();
  }

  /** Throws on a name that the catalogue does not have, or not in this variant. */
  enable(name: string): void {
    const fault = this.find(name);
    if (this.on.has(name)) return;
    const { variants } = fault;
    if (variants !== undefined && !variants.includes(this.scene.variant)) {
      throw new Error(`fault "${name}" exists in variant ${variants.join(", ")} only`);
    }
    this.on.set(name, fault.create(this.scene));
    this.changed();
  }

  disable(name: string): void {
    this.find(name);
    if (this.on.delete(name)) this.changed();
  }

  active(): string[] {
    return [...this.on.keys()];
  }

  private find(name: string): Fault {
    const fault = this.catalogue.get(name);
    if (fault !== undefined) return fault;
    const group = [...this.catalogue.keys()].filter((known) => known.startsWith(prefix(name)));
    const ofGroup = `one of: ${group.join(", ")}`;
    const expected = group.length > 0 ? ofGroup : "a name that the list of all has";
    throw new Error(`unknown fault "${name}"; expected ${expected}`);
  }

  private changed(): void {
    this.hooks = this.combined();
    this.onChange();
  }

  private combined(): Hooks {
    const { before, after } = this.lawful;
    return combineHooks([...before, ...this.on.values(), ...after]);
  }
}

function prefix(name: string): string {
  return name.split(/[./]/, 1)[0] ?? "";
}
