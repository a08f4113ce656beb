import { hash, randomBytes } from 'node:crypto'
import { type OperatorSetting, operatorName, operatorRoles } from '#gateway/settings/operators.ts'
import { operatorTokenSetting } from './connection.ts'
import { defineVerb } from './verb.ts'

export const formatOperator = (name: string, role: OperatorSetting['role'], token: string) =>
  `${name}:${role}:${hash('sha256', token, 'hex')}`

export const operator = defineVerb({
  takes: 'operator NAME',
  means: 'generates a token for an operator; needs no gateway',
  flags: {
    role: { type: 'string', takes: 'ROLE', means: `one of ${operatorRoles.join(', ')}`, default: 'write' },
  },
  required: 1,
  run({ values, operandAt, fail }) {
    const name = operandAt(0)
    if (!operatorName.test(name) || name === 'auto')
      fail(
        'NAME must start with a letter or digit, can contain up to 64 letters, digits, ".", "_", "@" and "-", and cannot be "auto"',
      )
    const role =
      operatorRoles.find((known) => known === values.role) ??
      fail(`--role must be one of ${operatorRoles.join(', ')}`)
    const token = randomBytes(32).toString('base64url')
    const entry = formatOperator(name, role, token)
    return {
      json: { name, role, token, entry },
      text: [
        `Give ${name} this token. It is not stored anywhere:`,
        `  ${operatorTokenSetting}=${token}`,
        'Add this entry to OPERATORS (comma-separated) on every gateway, then restart the gateways:',
        `  ${entry}`,
      ].join('\n'),
    }
  },
})
