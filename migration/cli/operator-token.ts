import { hash } from 'node:crypto'
import type { OperatorSetting } from '#gateway/settings/operators.ts'

/** The variable with the token for `npm run routes`. */
export const operatorTokenSetting = 'OPERATOR_TOKEN'

/** Formats a token's entry in `OPERATORS`. */
export const formatOperator = (name: string, role: OperatorSetting['role'], token: string) =>
  `${name}:${role}:${hash('sha256', token, 'hex')}`
