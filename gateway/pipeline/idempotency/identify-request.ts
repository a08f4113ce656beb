import type { Label } from '#contracts/route-table.ts'
import { type Row, rowOf } from '#contracts/shared/row.ts'
import { responseTransactionOf } from '#native-routes/response-transactions.ts'
import { signHmac } from '#shared/hmac-sha256.ts'
import type { IdempotentRequest, RequestContext, StoredPurpose } from '../../request/context.ts'

const visibleAscii = /^[!-~]{1,255}$/

const isWriteOfAccount = ({ method, auth, effects }: Row) =>
  method !== 'GET' && /^actor(\+|$)/.test(auth) && (effects === 'write' || effects === 'external')

/** Whether a route's responses are stored for idempotency keys. Only responses to an account's writes can be. */
export const hasStoredResponses = (label: Label) =>
  isWriteOfAccount(rowOf(label)) && responseTransactionOf(label) !== 'none'

export const findKey = (request: RequestContext) => {
  const key = request.header('idempotency-key')
  return key !== undefined && visibleAscii.test(key) ? key : null
}

interface RequestIdentity {
  /** `GATEWAY_SECRET` */
  readonly secret: string
  readonly accountId: string
  readonly key: string
  readonly method: string
  readonly path: string
  readonly query: string
  readonly body: Uint8Array
  readonly route: Label
  readonly core: IdempotentRequest['core']
  readonly epoch: number
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const ivLength = 12

// A stored text can only be decrypted with the same key, for the same request and for the same purpose.
const createCipher = (
  { secret, accountId, key }: RequestIdentity,
  { keyHash, requestHash }: Pick<IdempotentRequest, 'keyHash' | 'requestHash'>,
): Pick<IdempotentRequest, 'encrypt' | 'decrypt'> => {
  const deriveKey = async () => {
    const material = await crypto.subtle.importKey('raw', encoder.encode(secret), 'HKDF', false, [
      'deriveKey',
    ])
    const derivation = {
      name: 'HKDF',
      hash: 'SHA-256',
      salt: encoder.encode(key),
      info: encoder.encode(`stored responses of ${accountId}`),
    }
    const algorithm = { name: 'AES-GCM', length: 256 }
    return crypto.subtle.deriveKey(derivation, material, algorithm, false, ['encrypt', 'decrypt'])
  }
  const createParameters = (purpose: StoredPurpose, iv: Uint8Array<ArrayBuffer>) => ({
    name: 'AES-GCM',
    iv,
    additionalData: encoder.encode(`${purpose} ${keyHash} ${requestHash}`),
  })
  return {
    async encrypt(purpose, text) {
      const iv = crypto.getRandomValues(new Uint8Array(ivLength))
      const parameters = createParameters(purpose, iv)
      const encrypted = await crypto.subtle.encrypt(parameters, await deriveKey(), encoder.encode(text))
      return Buffer.concat([iv, new Uint8Array(encrypted)]).toString('base64')
    },
    async decrypt(purpose, stored) {
      const bytes = new Uint8Array(Buffer.from(stored, 'base64'))
      const parameters = createParameters(purpose, bytes.slice(0, ivLength))
      const text = await crypto.subtle.decrypt(parameters, await deriveKey(), bytes.slice(ivLength))
      return decoder.decode(text)
    },
  }
}

/** Keys are per account. Hashes are keyed, because bodies and keys can be guessed. */
export const identifyRequest = (identity: RequestIdentity): IdempotentRequest => {
  const { secret, accountId, key, method, path, query, body, route, core, epoch } = identity
  const scopedKey = JSON.stringify([accountId, key])
  const keyHash = signHmac(secret, 'idempotency key\n', scopedKey).toString('base64url')
  const target = JSON.stringify([method, path, query])
  const requestHash = signHmac(secret, 'idempotent request\n', `${target}\n`, body).toString('base64url')
  return {
    keyHash,
    requestHash,
    route,
    core,
    epoch,
    providerKey: signHmac(secret, 'provider idempotency key\n', scopedKey).toString('base64url'),
    ...createCipher(identity, { keyHash, requestHash }),
  }
}
