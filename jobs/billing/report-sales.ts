import { lockDueSaleReports, markSaleReported } from '#db/queries/sale-reports.ts'
import type { JobPorts } from '../ports.ts'

const atOnce = 10
const retryAfterS = 60

/** Tells the link provider of the sales that came through share links. One that fails is tried again later. */
export const reportSales = async (
  { db, log, sales }: Pick<JobPorts, 'db' | 'log' | 'sales'>,
  signal: AbortSignal,
) => {
  if (!sales) return
  for (let taken = atOnce; taken === atOnce && !signal.aborted; ) {
    const due = await db.tx((tx) => lockDueSaleReports(tx, atOnce, retryAfterS))
    taken = due.length
    for (const sale of due) {
      try {
        await sales.report(sale)
        await db.tx((tx) => markSaleReported(tx, sale.invoiceId))
      } catch {
        log.warn({ invoiceId: sale.invoiceId, attempts: sale.attempts }, 'a sale could not be reported')
      }
    }
  }
}
