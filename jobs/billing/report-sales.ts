import { lockDueSaleReports, markSaleReported } from '#db/queries/billing/sale-reports.ts'
import type { JobPorts } from '../ports.ts'

const batchSize = 10
const retryAfterS = 60

export const reportSales = async (
  { db, log, sales }: Pick<JobPorts, 'db' | 'log' | 'sales'>,
  signal: AbortSignal,
) => {
  if (!sales) return
  for (let count = batchSize; count === batchSize && !signal.aborted; ) {
    const due = await db.tx((tx) => lockDueSaleReports(tx, batchSize, retryAfterS))
    count = due.length
    for (const sale of due) {
      if (signal.aborted) return
      try {
        await sales.report(sale)
        await db.tx((tx) => markSaleReported(tx, sale.invoiceId))
      } catch {
        log.warn({ invoiceId: sale.invoiceId, attempts: sale.attempts }, 'failed to report sale')
      }
    }
  }
}
