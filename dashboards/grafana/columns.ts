/** The columns of a table: labels become columns in order, everything else is left out. */

import type * as dashboard from "@grafana/grafana-foundation-sdk/dashboard";
import type { Column } from "../boards/panel.ts";
import { mappingsOf } from "./field.ts";

/** Names of labels and, where the query is the only one, "Value". */
export function tableTransformations(
  columns: readonly Column[],
): dashboard.DataTransformerConfig[] {
  const byLabel = (value: (column: Column, at: number) => unknown) =>
    Object.fromEntries(columns.map((column, at) => [column.label, value(column, at)]));
  return [
    {
      id: "filterFieldsByName",
      options: { include: { names: columns.map(({ label }) => label) } },
    },
    {
      id: "organize",
      options: {
        excludeByName: {},
        indexByName: byLabel((_, at) => at),
        renameByName: byLabel(({ title }) => title),
      },
    },
  ];
}

export function columnOverrides(columns: readonly Column[]) {
  return columns.map(({ title, unit, width, shown, links }) => {
    const properties: dashboard.DynamicConfigValue[] = [];
    if (unit !== undefined) properties.push({ id: "unit", value: unit });
    if (width !== undefined) properties.push({ id: "custom.width", value: width });
    if (shown !== undefined) properties.push({ id: "mappings", value: mappingsOf(shown) });
    if (Object.values(shown ?? {}).some(({ color }) => color !== undefined)) {
      properties.push({ id: "custom.cellOptions", value: { type: "color-text" } });
    }
    if (links !== undefined) {
      const value = links.map((link) => ({ ...link, targetBlank: true }));
      properties.push({ id: "links", value });
    }
    return { name: title, properties };
  });
}
