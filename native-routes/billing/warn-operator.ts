import { insertOperatorWarning } from '#db/queries/operator-warnings.ts'
import type { Ports } from '../ports.ts'

type Warning = Parameters<typeof insertOperatorWarning>[1]

/** Keeps a warning for whoever runs the service and writes it to the log; the same one is kept once. */
export const warnOperator = async (warning: Warning, { db, log }: Pick<Ports, 'db' | 'log'>) => {
  const isNew = await db.tx((tx) => insertOperatorWarning(tx, warning))
  if (isNew) log.warn({ warning: warning.name, subject: warning.subject }, warning.detail)
}
