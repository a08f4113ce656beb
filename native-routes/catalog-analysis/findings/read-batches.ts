import type { PageRange } from '#db/queries/page-range.ts'
import { maxAnalysed } from './thresholds.ts'

// Longer lists are read in several statements, so that the driver parses no long result at once.
const batchSize = 2000

/** Reads the newest records of a list, `maxAnalysed` at most. */
export const readBatches = async <R extends { readonly id: string; readonly createdAt: string }>(
  findRange: (range: PageRange) => Promise<readonly R[]>,
): Promise<readonly R[]> => {
  const records: R[] = []
  let after: PageRange['after'] = null
  while (records.length < maxAnalysed) {
    const batch: readonly R[] = await findRange({ after, limit: batchSize })
    records.push(...batch)
    const last = batch.at(-1)
    if (!last || batch.length < batchSize) break
    after = { at: last.createdAt, id: last.id }
  }
  return records
}
