import { measureInserts } from './engagement/measure-inserts.ts'
import { measureReports } from './engagement/measure-reports.ts'
import { measureRetention } from './engagement/measure-retention.ts'
import { openStore } from './engagement/open-store.ts'
import { useAllCpus } from './machine.ts'
import type { Bench, BenchOptions } from './open-bench.ts'

/** Measures inserts, reports and retention with many stored events. */
export const measureEngagement = async (bench: Bench, options: BenchOptions): Promise<string> => {
  useAllCpus()
  const store = await openStore(bench, options)
  const parts = {
    load: async () => '',
    inserts: () => measureInserts(store, options.rounds),
    reports: () => measureReports(bench, store, options.rounds),
    retention: () => measureRetention(store),
  }
  const measured: string[] = [`${options.rows.toLocaleString('en-US')} events:`]
  for (const [name, measure] of Object.entries(parts))
    if (options.part === undefined || options.part === name) measured.push(await measure())
  return measured.join('\n\n')
}
