import { formatOperator } from '#migration/cli/operator-verb.ts'

/** The tokens of the operators that `testOperators` lists, by name. */
export const operatorTokens = {
  alice: 'token-of-alice-which-is-long-enough',
  rob: 'token-of-rob-which-is-long-enough',
  ci: 'token-of-ci-which-is-long-enough',
} as const

/** The setting `OPERATORS`: alice may change routes, rob may read, ci may report contract results. */
export const testOperators = [
  formatOperator('alice', 'write', operatorTokens.alice),
  formatOperator('rob', 'read', operatorTokens.rob),
  formatOperator('ci', 'contract', operatorTokens.ci),
].join(', ')
