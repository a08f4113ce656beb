import { insertOperatorWarning } from '#db/queries/billing/operator-warnings.ts'
import type { Ports } from '../ports.ts'

type Warning = Parameters<typeof insertOperatorWarning>[1]

/** Stores a warning for operators and logs it. Warnings with the same name and subject are stored once. */
export const warnOperator = async (warning: Warning, { db, log }: Pick<Ports, 'db' | 'log'>) => {
  const isNew = await db.tx((tx) => insertOperatorWarning(tx, warning))
  const { name, subject, detail } = warning
  if (isNew) log.warn({ warning: name, subject, detail }, 'operator warning stored')
}
