import { hash, timingSafeEqual } from 'node:crypto'
import type { OperatorSetting } from '#gateway/settings/operators.ts'

export type Operator = Pick<OperatorSetting, 'name' | 'role'>

/**
 * Finds the operator of a token by its SHA-256. Every operator is compared, in constant time, so that the time of a
 * response reveals neither how much of a hash matches nor whose.
 */
export const createOperatorLookup = (operators: readonly OperatorSetting[]) => {
  const known = operators.map(({ name, role, tokenHash }) => ({
    operator: { name, role },
    digest: Buffer.from(tokenHash, 'hex'),
  }))
  return (token: string): Operator | null => {
    const digest = hash('sha256', token, 'buffer')
    const matches = known.filter((candidate) => timingSafeEqual(candidate.digest, digest))
    return matches[0]?.operator ?? null
  }
}
