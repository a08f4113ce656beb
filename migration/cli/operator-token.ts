import { hash } from 'node:crypto'
import type { OperatorSetting } from '#gateway/settings/operators.ts'

/** The environment variable that `npm run routes` reads the token from. */
export const operatorTokenSetting = 'OPERATOR_TOKEN'

/** Formats an operator's entry in `OPERATORS`. */
export const formatOperator = (name: string, role: OperatorSetting['role'], token: string) =>
  `${name}:${role}:${hash('sha256', token, 'hex')}`
