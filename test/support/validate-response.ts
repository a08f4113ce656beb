import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formatsPlugin from 'ajv-formats'
import { errorTable, isErrorCode } from '#contracts/errors.ts'
import { isLabel, rowOf } from '#contracts/shared/row.ts'
import { describedCodes, document, operationOf } from './api-description.ts'
import type { TestResponse } from './request-at.ts'

const createValidator = () => {
  const validator = new Ajv2020({ allErrors: true, allowUnionTypes: true, strictRequired: false })
  formatsPlugin.default(validator)
  validator.addVocabulary(['components', 'x-extensible-enum'])
  return validator.addSchema({ $id: 'api', components: document.components })
}

let validator: ReturnType<typeof createValidator> | undefined
const compiled = new Map<string, ValidateFunction | null>()

const compile = (label: Parameters<typeof operationOf>[0], status: number) => {
  const { responses } = operationOf(label)
  const response = responses[status] ?? responses.default
  const schema = response?.content?.['application/json'].schema
  if (!schema) return null
  validator ??= createValidator()
  return validator.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')))
}

const findValidator = (label: Parameters<typeof operationOf>[0], status: number) => {
  const key = `${label} ${status}`
  const known = compiled.get(key)
  if (known !== undefined) return known
  const created = compile(label, status)
  compiled.set(key, created)
  return created
}

const describesCode = (label: Parameters<typeof operationOf>[0], status: number, code: unknown) => {
  if (describedCodes(label, status).includes(String(code))) return true
  if (!isErrorCode(code) || !(errorTable[code][0] as readonly number[]).includes(status)) return false
  return !operationOf(label).responses[status] || describedCodes(label, 'default').includes(code)
}

interface Exchanged extends TestResponse {
  readonly method: string
}

/**
 * Throws if native's response differs from the API description in status, body or error code. Forwarded responses are
 * not checked, because a test may have made them up.
 */
export const requireDescribedResponse = ({ method, status, headers, body }: Exchanged) => {
  const label = headers.get('x-service-native-route') ?? ''
  const isNative = headers.get('x-service-core-runtime') === 'native'
  if (!isNative || !isLabel(label) || method !== rowOf(label).method) return
  const problem = (text: string) =>
    new Error(`${label} returned ${status}, which the API description does not allow: ${text}`)
  const mediaType = headers.get('content-type')?.split(';', 1)[0] ?? ''
  if (mediaType in (operationOf(label).responses[status]?.content ?? {}) && mediaType !== 'application/json')
    return
  const validate = findValidator(label, status)
  if (status < 400 && !operationOf(label).responses[status]) throw problem('no such status')
  if (validate === null) {
    if (body !== '') throw problem('it has a body')
    return
  }
  // Called in the condition, the validator would narrow the type of `body`.
  const isValid: boolean = validate(body)
  if (!isValid) throw problem(JSON.stringify(validate.errors?.slice(0, 5)))
  if (status >= 400 && !describesCode(label, status, body.error)) throw problem(`the code ${body.error}`)
}
