/** Colours and texts of values. */

import type { Builder } from "@grafana/grafana-foundation-sdk/cog";
import * as dashboard from "@grafana/grafana-foundation-sdk/dashboard";
import type { Shown, Steps } from "../boards/panel.ts";

export function stepsOf([first, ...others]: Steps): Builder<dashboard.ThresholdsConfig> {
  // The first step has no lower bound, which Grafana writes as null.
  const steps = [
    { value: null, color: first },
    ...others.map(([value, color]) => ({ value, color })),
  ];
  return new dashboard.ThresholdsConfigBuilder()
    .mode(dashboard.ThresholdsMode.Absolute)
    .steps(steps);
}

export function mappingsOf(shown: Readonly<Record<string, Shown>>): dashboard.ValueMapping[] {
  const { NaN: unknown, ...values } = shown;
  const entries = Object.entries(values).map(([value, each], index) => [value, { ...each, index }]);
  const mappings: dashboard.ValueMapping[] =
    entries.length === 0
      ? []
      : [{ type: dashboard.MappingType.ValueToText, options: Object.fromEntries(entries) }];
  if (unknown === undefined) return mappings;
  const options = { match: dashboard.SpecialValueMatch.NullAndNan, result: unknown };
  return [...mappings, { type: dashboard.MappingType.SpecialValue, options }];
}
