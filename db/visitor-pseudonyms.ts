import { createKeyedHash } from './keyed-hash.ts'

/** The names that a page gives its visitor and session, and the link that opened it. */
interface Visitor {
  readonly linkId?: string | undefined
  readonly visitorId?: string | undefined
  readonly sessionId?: string | undefined
}

/**
 * Creates the names under which visitors are stored: keyed hashes that differ from link to link, so that the visitors
 * of one link can be counted and no visitor can be tracked across links. All processes that write engagement events to
 * one database need the same secret, or a visitor counts once for each of them.
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
