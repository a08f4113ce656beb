import type { Queryable } from '../../client/connection.ts'
import { newId } from '../../new-id.ts'
import { operatorWarnings } from '../../schema/billing.ts'

export interface OperatorWarning {
  readonly name: string
  readonly subject: string
  readonly detail: string
}

export const insertOperatorWarning = async (tx: Queryable, warning: OperatorWarning) => {
  const inserted = await tx
    .insert(operatorWarnings)
    .values({ id: newId(), ...warning })
    .onConflictDoNothing()
    .returning({ id: operatorWarnings.id })
  return inserted.length > 0
}
