import { operatorRoles } from '#gateway/settings/operators.ts'
import { signHmac, verifyHmac } from '#shared/hmac-sha256.ts'
import type { Operator } from '../../api/operator-options.ts'
import type { ConsoleOptions } from '../console-options.ts'

export const sessionTtlS = 8 * 3600

/** How long the issuer's confirmation is valid. Someone who leaves a group loses access within this time. */
const singleSignOnTtlS = 15 * 60

/** What a signed text is for. A notice cannot be used as a session, or a session as a notice. */
type Purpose = 'session' | 'notice'

interface SessionOptions extends Pick<ConsoleOptions, 'listOperators' | 'secret'> {
  /** Changes whenever the single sign-on settings do; null without an issuer. */
  readonly singleSignOnKey?: string | null
}

/**
 * Signs and verifies the texts that the console keeps in cookies, as `signature.text`. The signature covers the
 * operator's credential, which is the token's hash or the issuer's settings, and uses the installation's secret, so
 * every instance accepts it. It becomes invalid when the operator is removed, the token is replaced or the issuer's
 * settings change. The database stores only which sessions were ended.
 */
export const createSessions = (
  { listOperators, secret, singleSignOnKey = null }: SessionOptions,
  now: () => number = Date.now,
) => {
  const findSetting = (name: string) => listOperators().find((operator) => operator.name === name)

  /** Returns null if nobody with this name can sign in any more. */
  const joinSigned = (purpose: Purpose, name: string, text: string) => {
    const credential = findSetting(name)?.tokenHash ?? singleSignOnKey
    return credential === null ? null : ['console', purpose, name, credential, text].join('\0')
  }

  const sign = (purpose: Purpose, name: string, text: string) => {
    const signed = joinSigned(purpose, name, text)
    return signed && `${signHmac(secret, signed).toString('base64url')}.${text}`
  }

  const readSigned = (purpose: Purpose, name: string, cookie: string) => {
    const end = cookie.indexOf('.')
    const text = cookie.slice(end + 1)
    const signature = Buffer.from(cookie.slice(0, Math.max(0, end)), 'base64url')
    const signed = joinSigned(purpose, name, text)
    return signed !== null && verifyHmac(signature, secret, signed) ? text : null
  }

  /** Returns what a cookie with a valid signature says, even if it has expired. */
  const parse = (cookie: string) => {
    const [, expiresAtS = '', id = '', givenRole, ...rest] = cookie.split('.')
    const name = rest.join('.')
    const setting = findSetting(name)
    const role = setting?.role ?? operatorRoles.find((known) => known === givenRole)
    if (role === undefined || readSigned('session', name, cookie) === null) return null
    return {
      session: { id, operator: { name, role } },
      expiresAt: Number(expiresAtS) * 1000,
      isOfIssuer: !setting,
    }
  }

  return {
    issue({ name, role }: Operator): string {
      const ttlS = findSetting(name) ? sessionTtlS : singleSignOnTtlS
      const expiresAtS = Math.floor(now() / 1000) + ttlS
      const cookie = sign('session', name, [expiresAtS, crypto.randomUUID(), role, name].join('.'))
      if (cookie === null) throw new Error(`no operator is named ${name}`)
      return cookie
    },
    /** Does not check whether the operator has signed out. */
    read(cookie: string) {
      const parsed = parse(cookie)
      return parsed && parsed.expiresAt > now() ? parsed.session : null
    },
    /** Whether a browser may ask the issuer to confirm the session again, without anyone pressing a button. */
    isRenewable: (cookie: string) => parse(cookie)?.isOfIssuer ?? false,
    signNotice: ({ name }: Operator, text: string) => sign('notice', name, text),
    readNotice: ({ name }: Operator, signed: string) => readSigned('notice', name, signed),
  }
}

export type Sessions = ReturnType<typeof createSessions>
