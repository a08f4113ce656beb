import { and, asc, eq, isNull, lte, sql } from 'drizzle-orm'
import type { Queryable } from '../../client/connection.ts'
import { saleReports } from '../../schema/billing.ts'

type SaleReport = typeof saleReports.$inferSelect

/** `amount` is in the smallest unit of the currency. */
export type NewSaleReport = Pick<SaleReport, 'invoiceId' | 'accountId' | 'clickId' | 'amount' | 'currency'>

export const insertSaleReport = async (tx: Queryable, sale: NewSaleReport) => {
  await tx
    .insert(saleReports)
    .values({ ...sale, reportedAt: null })
    .onConflictDoNothing()
}

/**
 * Returns due reports and postpones their next attempt by `retryAfterS` seconds with exponential backoff, so that they
 * are retried if the worker crashes.
 */
export const lockDueSaleReports = (tx: Queryable, limit: number, retryAfterS: number) => {
  const due = tx
    .select({ invoiceId: saleReports.invoiceId })
    .from(saleReports)
    .where(and(isNull(saleReports.reportedAt), lte(saleReports.nextAttemptAt, sql`now()`)))
    .orderBy(asc(saleReports.nextAttemptAt))
    .limit(limit)
    .for('update', { skipLocked: true })
  const backoff = sql`least(${retryAfterS} * power(2, least(${saleReports.attempts}, 12)), 86400) * interval '1 second'`
  return tx
    .update(saleReports)
    .set({ attempts: sql`${saleReports.attempts} + 1`, nextAttemptAt: sql`now() + ${backoff}` })
    .where(sql`${saleReports.invoiceId} in ${due}`)
    .returning()
}

export const markSaleReported = async (tx: Queryable, invoiceId: string) => {
  await tx.update(saleReports).set({ reportedAt: sql`now()` }).where(eq(saleReports.invoiceId, invoiceId))
}
