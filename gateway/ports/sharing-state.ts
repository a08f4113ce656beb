import { createAccessCodeState } from '../adapters/access-codes-scrypt/access-code-state.ts'
import { createLimitState } from '../rate-limits/limit-state.ts'

/** Creates the in-memory state that the share-link ports keep between requests. */
export const createSharingState = () => ({ codes: createAccessCodeState(), limits: createLimitState() })

export type SharingState = ReturnType<typeof createSharingState>
