import type { PageRange } from '#db/queries/page-range.ts'
import { maxAnalysed } from './thresholds.ts'

export async function* readBatches<R extends { readonly id: string; readonly createdAt: string }>(
  batchSize: number,
  findRange: (range: PageRange) => Promise<readonly R[]>,
): AsyncGenerator<readonly R[]> {
  let after: PageRange['after'] = null
  for (let read = 0; read < maxAnalysed; read += batchSize) {
    const batch: readonly R[] = await findRange({ after, limit: batchSize })
    yield batch
    const last = batch.at(-1)
    if (!last || batch.length < batchSize) return
    after = { at: last.createdAt, id: last.id }
  }
}
