import type { Actor } from './ports.ts'

/** The e-mail address of an actor; null if it is not verified, because it may then belong to another person. */
export const verifiedEmailOf = ({ email, emailVerified }: Actor) => (emailVerified ? email : null)
