import { ApiError } from '#contracts/errors.ts'
import type { Reader } from '#db/client/connection.ts'
import { listAccountsWithCustomer } from '#db/queries/billing/subscriptions.ts'
import type { Reconciliation } from '#native-routes/billing/reconcile-account.ts'

interface ExaminationCounts {
  readonly checked: number
  readonly differing: number
  readonly unknownPrices: number
  readonly failed: number
}

interface Examination {
  readonly examine: (accountId: string) => Promise<Reconciliation | null>
  readonly report: (accountId: string, result: Reconciliation) => void
  readonly reportFailure: (accountId: string, error: unknown) => void
}

const pageSize = 50
// If this many accounts fail in a row, the provider is down.
const maxConsecutiveFailures = 3
// If the provider rejects this many accounts and knows none, its key is wrong.
const maxRejected = 20

/** Whether the provider has answered, so that the failure may concern this account only, for example an unknown customer. */
const isRejection = (error: unknown) => error instanceof ApiError && error.status === 502

export const examineCustomers = async (
  read: Reader,
  { examine, report, reportFailure }: Examination,
  signal?: AbortSignal,
): Promise<ExaminationCounts> => {
  const counts = { checked: 0, differing: 0, unknownPrices: 0, failed: 0 }
  let consecutiveFailures = 0

  const examineOne = async (accountId: string) => {
    try {
      const result = await examine(accountId)
      consecutiveFailures = 0
      counts.checked += 1
      if (result && (result.change || result.surplus.length > 0)) counts.differing += 1
      if (result?.unknownPriceOf) counts.unknownPrices += 1
      if (result) report(accountId, result)
    } catch (error) {
      counts.failed += 1
      consecutiveFailures = isRejection(error) ? 0 : consecutiveFailures + 1
      const isKeyWrong = counts.checked === 0 && counts.failed >= maxRejected
      if (isKeyWrong || consecutiveFailures === maxConsecutiveFailures) throw error
      reportFailure(accountId, error)
    }
  }

  let after = ''
  for (;;) {
    const accounts = await listAccountsWithCustomer(read, after, pageSize)
    for (const { accountId } of accounts) {
      if (signal?.aborted) return counts
      await examineOne(accountId)
      after = accountId
    }
    if (accounts.length < pageSize) return counts
  }
}
