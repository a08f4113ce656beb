import type { OperatorSetting } from '#gateway/settings/operators.ts'
import { signHmac, verifyHmac } from '#shared/hmac-sha256.ts'
import type { Operator } from '../../api/operator-options.ts'
import type { ConsoleOptions } from '../console-options.ts'

/** How long an operator remains signed in. */
export const sessionTtlS = 8 * 3600

/** What a signed text is for; one cannot be used as another. */
type Purpose = 'session' | 'notice'

const separator = '\0'

/**
 * Signs and reads what the console stores in cookies: `signature.text`. The key depends on the secret of the installation and
 * on the token of the operator, so that all instances accept a cookie, and none does once the operator is removed or has
 * another token.
 */
const createSigner = (secret: string) => {
  const listParts = (purpose: Purpose, { name, tokenHash }: OperatorSetting, text: string) =>
    ['console', purpose, name, tokenHash, text].join(separator)
  return {
    sign: (purpose: Purpose, operator: OperatorSetting, text: string) =>
      `${signHmac(secret, listParts(purpose, operator, text)).toString('base64url')}.${text}`,
    /** The text; null if the signature is another. */
    read(purpose: Purpose, operator: OperatorSetting, signed: string) {
      const end = signed.indexOf('.')
      const text = signed.slice(end + 1)
      const signature = Buffer.from(signed.slice(0, Math.max(0, end)), 'base64url')
      return verifyHmac(signature, secret, listParts(purpose, operator, text)) ? text : null
    },
  }
}

/** What a valid cookie says. */
interface Session {
  /** Of this sign-in, by which it can be ended. */
  readonly id: string
  readonly operator: Operator
}

/** Creates and reads the cookies of signed-in operators. Only the end of a session is stored. */
export const createSessions = (
  { operators, secret }: Pick<ConsoleOptions, 'operators' | 'secret'>,
  now: () => number = Date.now,
) => {
  const signer = createSigner(secret)
  const findSetting = (name: string) => operators.find((operator) => operator.name === name)

  return {
    /** The cookie of an operator who has sent a valid token. */
    issue({ name }: Operator): string {
      const operator = findSetting(name)
      if (!operator) throw new Error(`no operator is named ${name}`)
      const expiresAtS = Math.floor(now() / 1000) + sessionTtlS
      return signer.sign('session', operator, `${expiresAtS}.${crypto.randomUUID()}.${name}`)
    },
    /** The session of a cookie; null if it is not valid, or no longer. The operator may have signed out of it. */
    read(cookie: string): Session | null {
      const [, expiresAtS = '', id = '', ...rest] = cookie.split('.')
      const operator = findSetting(rest.join('.'))
      if (!operator || signer.read('session', operator, cookie) === null) return null
      const { name, role } = operator
      return Number(expiresAtS) * 1000 > now() ? { id, operator: { name, role } } : null
    },
    /** Signs a text that is shown to this operator once. */
    signNotice({ name }: Operator, text: string): string | null {
      const operator = findSetting(name)
      return operator ? signer.sign('notice', operator, text) : null
    },
    readNotice({ name }: Operator, signed: string): string | null {
      const operator = findSetting(name)
      return operator ? signer.read('notice', operator, signed) : null
    },
  }
}

export type Sessions = ReturnType<typeof createSessions>
