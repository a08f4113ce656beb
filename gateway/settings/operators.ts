import * as z from 'zod'
import { asSecret } from './describe-value.ts'

export const operatorRoles = ['read', 'write', 'contract'] as const

export interface OperatorSetting {
  readonly name: string
  /** `read` reads the routes' state, `write` also changes it, `contract` only reports contract runs. */
  readonly role: (typeof operatorRoles)[number]
  /** SHA-256 of the token, in hex. */
  readonly tokenHash: string
}

export const operatorName = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/

// The operator name under which the audit records automatic changes.
const reservedName = 'auto'

const parseOperator = (text: string): OperatorSetting | string => {
  const parts = text.split(':')
  const [name = '', givenRole, tokenHash = ''] = parts
  // Errors repeat only names, because anything else may be a token given in place of its hash.
  if (!operatorName.test(name) || parts.length !== 3)
    return 'must be a comma-separated list of name:role:sha256'
  if (name === reservedName) return `must not name an operator ${reservedName}`
  const role = operatorRoles.find((known) => known === givenRole)
  if (role === undefined) return `must give ${name} one of the roles ${operatorRoles.join(', ')}`
  if (!/^[0-9a-f]{64}$/i.test(tokenHash)) return `must give the SHA-256 of ${name}'s token as 64 hex digits`
  return { name, role, tokenHash: tokenHash.toLowerCase() }
}

const findRepeated = (values: readonly string[]) =>
  values.find((value, index) => values.indexOf(value) !== index)

const parseOperators = z.string().transform((text, context): readonly OperatorSetting[] => {
  const items = text.split(',').map((item) => item.trim())
  const parsed = items.filter(Boolean).map(parseOperator)
  const errors = parsed.filter((operator) => typeof operator === 'string')
  const valid = parsed.filter((operator) => typeof operator !== 'string')
  const repeatedName = findRepeated(valid.map(({ name }) => name))
  if (repeatedName !== undefined) errors.push(`must not name ${repeatedName} twice`)
  if (findRepeated(valid.map(({ tokenHash }) => tokenHash)) !== undefined)
    errors.push('must not give several operators the same token')
  for (const message of errors) context.addIssue({ code: 'custom', message })
  return valid
})

/**
 * `name:role:sha256`, comma-separated. Names and tokens are unique, so each audit entry identifies one person. Never
 * printed, because someone may have put in the token itself.
 */
export const operators = asSecret(parseOperators)
