import type { Reconciliation } from '#jobs/ports.ts'
import { describeError } from '#shared/describe-error.ts'

type Change = NonNullable<Reconciliation['change']>

const reportedFields = [
  'planId',
  'status',
  'billingSubscriptionId',
  'cancelAtPeriodEnd',
  'currentPeriodEnd',
] as const satisfies readonly (keyof Change['before'])[]

const formatChange = ({ before, after }: Change) =>
  reportedFields
    .filter((name) => before[name] !== after[name])
    .map((name) => `${name} ${before[name] ?? 'none'} -> ${after[name] ?? 'none'}`)
    .join(', ')

/** Prints what a reconciliation found in each account. */
export const createReconciliationReport = (print: (line: string) => void) => ({
  report: (accountId: string, { change, unknownPriceOf, surplus }: Reconciliation) => {
    if (change) print(`${accountId}: ${formatChange(change)}`)
    for (const id of surplus) print(`${accountId}: ${id}, a second live subscription -> canceled`)
    if (unknownPriceOf !== null)
      print(`${accountId}: warning: no plan in BILLING_PLANS has the price of ${unknownPriceOf}`)
  },
  reportFailure: (accountId: string, error: unknown) =>
    print(`${accountId}: not compared: ${describeError(error).code ?? 'unexpected error'}`),
})
