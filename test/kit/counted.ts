/** What a collector says that it has counted. */

/** How many reports of each metric it has, where there are any. */
export async function counted(address: string): Promise<{ readonly [metric: string]: number }> {
  const { metrics } = (await (await fetch(`${address}/v1/metrics`)).json()) as {
    readonly metrics: readonly { readonly metric: string; readonly reports: number }[];
  };
  return Object.fromEntries(metrics.filter(({ reports }) => reports > 0).map(({ metric, reports }) => [metric, reports]));
}
