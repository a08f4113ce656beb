import { createKeyedHash } from '#db/hashes.ts'
import type { Settings } from '../settings/settings.ts'

/** What the log names an account; undefined leaves it out. */
export type NameAccount = (accountId: string) => string | undefined

// 96 bits: no two accounts have the same in practice.
const hashLength = 16

/** The same account has the same hash on every instance, and only who has GATEWAY_SECRET can find it by its id. */
export const createAccountNames = ({
  LOG_ACCOUNTS,
  GATEWAY_SECRET,
}: Pick<Settings, 'LOG_ACCOUNTS' | 'GATEWAY_SECRET'>): NameAccount => {
  if (LOG_ACCOUNTS === 'off') return () => undefined
  if (LOG_ACCOUNTS === 'plain') return (accountId) => accountId
  const hash = createKeyedHash(GATEWAY_SECRET, 'accounts of the log')
  return (accountId) => hash(accountId).slice(0, hashLength)
}
