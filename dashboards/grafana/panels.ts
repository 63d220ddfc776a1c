/** Panels of every kind, as the Foundation SDK builds them. */

import { PanelBuilder as BarGaugeBuilder } from "@grafana/grafana-foundation-sdk/bargauge";
import type { Builder } from "@grafana/grafana-foundation-sdk/cog";
import * as common from "@grafana/grafana-foundation-sdk/common";
import * as dashboard from "@grafana/grafana-foundation-sdk/dashboard";
import * as heatmap from "@grafana/grafana-foundation-sdk/heatmap";
import * as prometheus from "@grafana/grafana-foundation-sdk/prometheus";
import { PanelBuilder as StatBuilder } from "@grafana/grafana-foundation-sdk/stat";
import { PanelBuilder as TimelineBuilder } from "@grafana/grafana-foundation-sdk/statetimeline";
import { PanelBuilder as TableBuilder } from "@grafana/grafana-foundation-sdk/table";
import { PanelBuilder as TimeSeriesBuilder } from "@grafana/grafana-foundation-sdk/timeseries";
import type { Panel, PanelKind } from "../boards/panel.ts";
import { colorsByName } from "../boards/series-colors.ts";
import { columnOverrides, tableTransformations } from "./columns.ts";
import { mappingsOf, stepsOf } from "./field.ts";

export const DATASOURCE = { type: "prometheus", uid: "$datasource" };

type Maker = (panel: Panel) => Builder<dashboard.Panel>;

const MAKERS: Readonly<Record<PanelKind, Maker>> = {
  timeseries: (panel) => lines(panel),
  // Events are whole; what lies between them is an estimate at the edges of a window.
  bars: (panel) =>
    lines({ decimals: 0, ...panel })
      .drawStyle(common.GraphDrawStyle.Bars)
      .fillOpacity(80)
      .lineWidth(0),
  stat: stat,
  bargauge: barGauge,
  table: table,
  heatmap: heatmapOf,
  "state-timeline": timeline,
};

export function panelOf(
  panel: Panel,
  id: number,
  gridPos: dashboard.GridPos,
): Builder<dashboard.Panel> {
  const built = MAKERS[panel.kind](panel).build();
  return { build: () => ({ ...built, id, gridPos }) };
}

/** What all kinds have alike; each builder has these methods, and no common type. */
interface AnyBuilder {
  title(title: string): this;
  description(description: string): this;
  datasource(datasource: common.DataSourceRef): this;
  unit(unit: string): this;
  targets(targets: Builder<prometheus.Dataquery>[]): this;
  mappings(mappings: dashboard.ValueMapping[]): this;
  thresholds(thresholds: Builder<dashboard.ThresholdsConfig>): this;
  noValue(noValue: string): this;
  interval(interval: string): this;
  min(min: number): this;
  max(max: number): this;
  decimals(decimals: number): this;
}

function described<Each extends AnyBuilder>(builder: Each, panel: Panel, instant: boolean): Each {
  const format = formatOf(panel.kind);
  builder
    .title(panel.title)
    .description(panel.description)
    .datasource(DATASOURCE)
    .unit(panel.unit)
    .targets(panel.queries.map((query, at) => target(query, at, instant, format)));
  if (panel.steps !== undefined) builder.thresholds(stepsOf(panel.steps));
  if (panel.shown !== undefined) builder.mappings(mappingsOf(panel.shown));
  if (panel.noValue !== undefined) builder.noValue(panel.noValue);
  if (panel.interval !== undefined) builder.interval(panel.interval);
  if (panel.min != null) builder.min(panel.min);
  if (panel.max !== undefined) builder.max(panel.max);
  if (panel.decimals !== undefined) builder.decimals(panel.decimals);
  return builder;
}

function formatOf(kind: PanelKind): prometheus.PromQueryFormat {
  if (kind === "table") return prometheus.PromQueryFormat.Table;
  if (kind === "heatmap") return prometheus.PromQueryFormat.Heatmap;
  return prometheus.PromQueryFormat.TimeSeries;
}

function target(
  { expr, legend }: Panel["queries"][number],
  at: number,
  instant: boolean,
  format: prometheus.PromQueryFormat,
): Builder<prometheus.Dataquery> {
  const query = new prometheus.DataqueryBuilder()
    .refId(String.fromCharCode("A".charCodeAt(0) + at))
    .datasource(DATASOURCE)
    .expr(expr)
    .legendFormat(legend ?? "__auto")
    .format(format);
  return instant ? query.instant() : query.range();
}

function lines(panel: Panel): TimeSeriesBuilder {
  const builder = described(new TimeSeriesBuilder(), panel, false)
    .legend(listedBelow())
    .tooltip(
      new common.VizTooltipOptionsBuilder()
        .mode(common.TooltipDisplayMode.Multi)
        .sort(common.SortOrder.Descending),
    )
    .fillOpacity(panel.stacked ? 60 : 8)
    .showPoints(common.VisibilityMode.Auto)
    .spanNulls(false);
  if (panel.steps !== undefined) {
    builder.thresholdsStyle(
      new common.GraphThresholdsStyleConfigBuilder().mode(common.GraphThresholdsStyleMode.Dashed),
    );
  }
  if (panel.stacked) {
    builder.stacking(new common.StackingConfigBuilder().mode(common.StackingMode.Normal));
  }
  if (panel.scale === "log") builder.scaleDistribution(logarithmic());
  if (panel.shade !== undefined) {
    builder.colorScheme(
      new dashboard.FieldColorBuilder()
        .mode(dashboard.FieldColorModeId.Shades)
        .fixedColor(panel.shade),
    );
  }
  for (const [pattern, fixedColor] of colorsByName(panel)) {
    builder.overrideByRegexp(pattern, [{ id: "color", value: { mode: "fixed", fixedColor } }]);
  }
  for (const [name, fixedColor] of Object.entries(panel.colors ?? {})) {
    builder.overrideByName(name, [{ id: "color", value: { mode: "fixed", fixedColor } }]);
  }
  if (panel.dashed !== undefined) {
    builder.overrideByRegexp(panel.dashed, [
      { id: "custom.lineStyle", value: { fill: "dash", dash: [6, 6] } },
      { id: "custom.fillOpacity", value: 0 },
    ]);
  }
  return builder;
}

function listedBelow(): common.VizLegendOptionsBuilder {
  return new common.VizLegendOptionsBuilder()
    .showLegend(true)
    .displayMode(common.LegendDisplayMode.List)
    .placement(common.LegendPlacement.Bottom);
}

/** Below 1 it is linear: a plain logarithm has no place for 0. */
function logarithmic(): common.ScaleDistributionConfigBuilder {
  return new common.ScaleDistributionConfigBuilder()
    .type(common.ScaleDistribution.Symlog)
    .log(10)
    .linearThreshold(1);
}

function last(): common.ReduceDataOptionsBuilder {
  return new common.ReduceDataOptionsBuilder().calcs(["lastNotNull"]).values(false);
}

function stat(panel: Panel): StatBuilder {
  const builder = described(new StatBuilder(), panel, true);
  for (const [name, steps] of Object.entries(panel.stepsOf ?? {})) {
    builder.overrideByName(name, [{ id: "thresholds", value: stepsOf(steps).build() }]);
  }
  return builder
    .reduceOptions(last())
    .graphMode(common.BigValueGraphMode.None)
    .colorMode(common.BigValueColorMode.Background)
    .textMode(
      panel.queries.length > 1
        ? common.BigValueTextMode.ValueAndName
        : common.BigValueTextMode.Auto,
    );
}

function barGauge(panel: Panel): BarGaugeBuilder {
  return described(new BarGaugeBuilder(), panel, true)
    .reduceOptions(last())
    .orientation(common.VizOrientation.Horizontal)
    .displayMode(common.BarGaugeDisplayMode.Basic)
    .showUnfilled(true)
    .minVizHeight(16);
}

function table(panel: Panel): TableBuilder {
  const columns = panel.columns ?? [];
  const builder = described(new TableBuilder(), panel, true)
    .cellHeight(common.TableCellHeight.Sm)
    .transformations(tableTransformations(columns));
  for (const { name, properties } of columnOverrides(columns)) {
    builder.overrideByName(name, properties);
  }
  return builder;
}

function heatmapOf(panel: Panel): heatmap.PanelBuilder {
  return described(new heatmap.PanelBuilder(), panel, false)
    .calculate(false)
    .yAxis(new heatmap.YAxisConfigBuilder().unit(panel.unit))
    .color(
      new heatmap.HeatmapColorOptionsBuilder()
        .mode(heatmap.HeatmapColorMode.Scheme)
        .scheme("Oranges")
        .steps(64),
    )
    .cellGap(1)
    .showLegend()
    .tooltip(
      new heatmap.HeatmapTooltipBuilder().mode(common.TooltipDisplayMode.Single).yHistogram(true),
    );
}

function timeline(panel: Panel): TimelineBuilder {
  return described(new TimelineBuilder(), panel, false)
    .mergeValues(true)
    .showValue(common.VisibilityMode.Never)
    .rowHeight(0.85)
    .fillOpacity(85)
    .legend(listedBelow());
}
