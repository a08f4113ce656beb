import { createAccessCodeState } from '../adapters/access-codes-scrypt/access-code-state.ts'
import { createLimitState } from '../rate-limits/limit-state.ts'

export const createSharingState = () => ({ codes: createAccessCodeState(), limits: createLimitState() })

export type SharingState = ReturnType<typeof createSharingState>
