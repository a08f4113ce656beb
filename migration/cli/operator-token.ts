import { hash } from 'node:crypto'
import type { OperatorSetting } from '#gateway/settings/operators.ts'

/** The variable of the token with which `npm run routes` authenticates. */
export const operatorTokenSetting = 'OPERATOR_TOKEN'

/** The entry of `OPERATORS` for a token. */
export const formatOperator = (name: string, role: OperatorSetting['role'], token: string) =>
  `${name}:${role}:${hash('sha256', token, 'hex')}`
