import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { Database } from '#db/client/connection.ts'
import { findConsoleSignOut, insertConsoleSignOut } from '#db/queries/routing/console-sign-outs.ts'
import type { Operator } from '../../api/operator-options.ts'
import type { ConsoleContext } from '../respond.ts'
import { type Notice, parseNotice } from '../views/notice.ts'
import { type Sessions, sessionTtlS } from './sessions.ts'
import type { PendingSignIn } from './single-sign-on.ts'

const sessionCookie = 'crossfade_console'
const noticeCookie = 'crossfade_console_notice'
const path = '/console'

// The listener has no TLS, but a proxy in front of it may. The proxy's header, a form's `Origin` or `CONSOLE_URL` shows
// whether the proxy does.
const isSecure = ({ req, get }: ConsoleContext) =>
  req.header('x-forwarded-proto') === 'https' ||
  [req.header('origin'), get('consoleUrl')].some((url) => url?.startsWith('https://'))

const createAttributes = (context: ConsoleContext, maxAge: number) =>
  ({ path, maxAge, httpOnly: true, sameSite: 'Strict', secure: isSecure(context) }) as const

/** The cookie outlives a session that the issuer confirmed, so that the session can be renewed. */
export const startSession = (context: ConsoleContext, sessions: Sessions, operator: Operator) =>
  setCookie(context, sessionCookie, sessions.issue(operator), createAttributes(context, sessionTtlS))

const readSession = (context: ConsoleContext, sessions: Sessions) =>
  sessions.read(getCookie(context, sessionCookie) ?? '')

export const hasRenewableSession = (context: ConsoleContext, sessions: Sessions) =>
  sessions.isRenewable(getCookie(context, sessionCookie) ?? '')

/** Ends the request's session on all instances, because its cookie may have been copied. */
export const endSession = async (
  context: ConsoleContext,
  sessions: Sessions,
  { db }: Pick<Database, 'db'>,
): Promise<Operator | null> => {
  const session = readSession(context, sessions)
  if (session) await insertConsoleSignOut(db, session.id)
  return session?.operator ?? null
}

export const findSessionId = (context: ConsoleContext, sessions: Sessions): string | null => {
  const session = readSession(context, sessions)
  if (session === null) deleteCookie(context, sessionCookie, { path })
  return session?.id ?? null
}

export const deleteCookies = (context: ConsoleContext) => {
  for (const name of [sessionCookie, noticeCookie]) deleteCookie(context, name, { path })
}

export const findSession = async (
  context: ConsoleContext,
  sessions: Sessions,
  { db }: Pick<Database, 'db'>,
): Promise<Operator | null> => {
  const session = readSession(context, sessions)
  return session && (await findConsoleSignOut(db, session.id)) === null ? session.operator : null
}

const noticeTtlS = 60

export const keepNotice = (context: ConsoleContext, sessions: Sessions, notice: Notice) => {
  const text = Buffer.from(JSON.stringify(notice)).toString('base64url')
  const signed = sessions.signNotice(context.get('operator'), text)
  if (signed) setCookie(context, noticeCookie, signed, createAttributes(context, noticeTtlS))
}

export const takeNotice = (
  context: ConsoleContext,
  sessions: Sessions,
  operator: Operator,
): Notice | null => {
  const signed = getCookie(context, noticeCookie)
  if (signed === undefined) return null
  deleteCookie(context, noticeCookie, { path })
  const text = sessions.readNotice(operator, signed)
  return text === null ? null : parseNotice(Buffer.from(text, 'base64url').toString())
}

const pendingTtlS = 600

interface StoredSignIn extends PendingSignIn {
  readonly next: string
  /**
   * Id of the session that this sign-in replaces, if any. Stored because the browser does not send that session's
   * cookie with the issuer's redirect.
   */
  readonly replaces: string
}

/** Where the issuer sends the browser back to. A pending sign-in's cookie is sent only to this page. */
export const callbackPath = '/console/sign-in/callback'

// One cookie per sign-in, because two tabs may sign in at the same time.
const pendingCookie = (state: string) => `${sessionCookie}_${state}`

/**
 * Remembers a sign-in until the issuer sends the browser back. The browser would withhold a `Strict` cookie at that
 * point.
 */
export const keepPendingSignIn = (context: ConsoleContext, pending: StoredSignIn) =>
  setCookie(context, pendingCookie(pending.state), String(new URLSearchParams({ ...pending })), {
    ...createAttributes(context, pendingTtlS),
    path: callbackPath,
    sameSite: 'Lax',
  })

const stateFormat = /^[\w-]{16,128}$/

/** Returns the sign-in that this browser began with `state`, and deletes it; null if there is none or it is too old. */
export const takePendingSignIn = (context: ConsoleContext, state: string): StoredSignIn | null => {
  const stored = stateFormat.test(state) ? getCookie(context, pendingCookie(state)) : undefined
  if (stored === undefined) return null
  deleteCookie(context, pendingCookie(state), { path: callbackPath })
  const fields: Record<string, string> = Object.fromEntries(new URLSearchParams(stored))
  const { nonce = '', verifier = '', next = '', replaces = '' } = fields
  return { state, nonce, verifier, next, replaces }
}
