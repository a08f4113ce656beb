import { operatorRoles } from '#gateway/settings/operators.ts'
import { signHmac, verifyHmac } from '#shared/hmac-sha256.ts'
import type { Operator } from '../../api/operator-options.ts'
import type { ConsoleOptions } from '../console-options.ts'

export const sessionTtlS = 8 * 3600

/** How long the issuer's confirmation is valid. Someone who leaves a group loses access within this time. */
const singleSignOnTtlS = 15 * 60

/** What a signed text is for. A notice cannot be used as a session, or a session as a notice. */
type Purpose = 'session' | 'notice'

const separator = '\0'

/** A cookie's operator, and the credential behind it: the token's hash, or the issuer's settings. */
interface Holder {
  readonly name: string
  readonly credential: string
}

/**
 * Signs and verifies the texts that the console keeps in cookies, as `signature.text`. The signature covers the
 * operator's credential and uses the installation's secret, so every instance accepts it. It becomes invalid when the
 * operator is removed, the token is replaced or the issuer's settings change.
 */
const createSigner = (secret: string) => {
  const listParts = (purpose: Purpose, { name, credential }: Holder, text: string) =>
    ['console', purpose, name, credential, text].join(separator)
  return {
    sign: (purpose: Purpose, holder: Holder, text: string) =>
      `${signHmac(secret, listParts(purpose, holder, text)).toString('base64url')}.${text}`,
    read(purpose: Purpose, holder: Holder, signed: string) {
      const end = signed.indexOf('.')
      const text = signed.slice(end + 1)
      const signature = Buffer.from(signed.slice(0, Math.max(0, end)), 'base64url')
      return verifyHmac(signature, secret, listParts(purpose, holder, text)) ? text : null
    },
  }
}

interface Session {
  readonly id: string
  readonly operator: Operator
}

interface SessionOptions extends Pick<ConsoleOptions, 'listOperators' | 'secret'> {
  /** Changes whenever the single sign-on settings do; null without an issuer. */
  readonly singleSignOnKey?: string | null
}

/** The database stores only which sessions were ended. */
export const createSessions = (
  { listOperators, secret, singleSignOnKey = null }: SessionOptions,
  now: () => number = Date.now,
) => {
  const signer = createSigner(secret)
  const findSetting = (name: string) => listOperators().find((operator) => operator.name === name)

  const findHolder = (name: string): Holder | null => {
    const credential = findSetting(name)?.tokenHash ?? singleSignOnKey
    return credential === null ? null : { name, credential }
  }

  const readOwn = (purpose: Purpose, name: string, signed: string) => {
    const holder = findHolder(name)
    return holder && signer.read(purpose, holder, signed)
  }

  /** Returns what a cookie with a valid signature says, even if it has expired. */
  const parse = (cookie: string) => {
    const [, expiresAtS = '', id = '', givenRole, ...rest] = cookie.split('.')
    const name = rest.join('.')
    const setting = findSetting(name)
    const role = setting?.role ?? operatorRoles.find((known) => known === givenRole)
    if (role === undefined || readOwn('session', name, cookie) === null) return null
    return {
      session: { id, operator: { name, role } },
      expiresAt: Number(expiresAtS) * 1000,
      isOfIssuer: !setting,
    }
  }

  return {
    issue({ name, role }: Operator): string {
      const holder = findHolder(name)
      if (!holder) throw new Error(`no operator is named ${name}`)
      const ttlS = findSetting(name) ? sessionTtlS : singleSignOnTtlS
      const expiresAtS = Math.floor(now() / 1000) + ttlS
      return signer.sign('session', holder, [expiresAtS, crypto.randomUUID(), role, name].join('.'))
    },
    /** Does not check whether the operator has signed out. */
    read(cookie: string): Session | null {
      const parsed = parse(cookie)
      return parsed && parsed.expiresAt > now() ? parsed.session : null
    },
    /** Whether a browser may ask the issuer to confirm the session again, without anyone pressing a button. */
    isRenewable: (cookie: string) => parse(cookie)?.isOfIssuer ?? false,
    signNotice({ name }: Operator, text: string): string | null {
      const holder = findHolder(name)
      return holder && signer.sign('notice', holder, text)
    },
    readNotice: ({ name }: Operator, signed: string): string | null => readOwn('notice', name, signed),
  }
}

export type Sessions = ReturnType<typeof createSessions>
