import { createKeyedHash } from './keyed-hash.ts'

/** What a page calls its visitor and session, and the link that it was opened by. */
interface Visitor {
  readonly linkId?: string | undefined
  readonly visitorId?: string | undefined
  readonly sessionId?: string | undefined
}

/**
 * Gives visitors the names under which they are kept: keyed hashes that differ from link to link, so that visits of
 * one link can be told apart and nobody can be followed from one to another. Whoever writes engagement events of one
 * database needs the same secret, or a visitor counts once for each writer.
 */
export const createVisitorPseudonyms = (secret: string) => {
  const hash = createKeyedHash(secret, 'visitors')
  return ({ linkId, visitorId, sessionId }: Visitor) => {
    const pseudonym = (kind: string, name: string | undefined) =>
      name === undefined ? null : hash(JSON.stringify([kind, linkId, name]))
    return { visitorId: pseudonym('visitor', visitorId), sessionId: pseudonym('session', sessionId) }
  }
}

export type VisitorPseudonyms = ReturnType<typeof createVisitorPseudonyms>
