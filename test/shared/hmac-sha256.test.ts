import { describe, expect, it } from 'vitest'
import { parseHexDigest, signHmac, verifyHmac } from '#shared/hmac-sha256.ts'

// RFC 4231, test case 2
const secret = 'Jefe'
const message = 'what do ya want for nothing?'
const digest = '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'

describe('HMAC-SHA256', () => {
  it('signs the concatenation of its parts, which can be text or bytes', () => {
    expect(signHmac(secret, message).toString('hex')).toBe(digest)
    expect(signHmac(secret, 'what do ya ', Buffer.from('want for nothing?')).toString('hex')).toBe(digest)
  })

  it('verifies only a complete signature of the same parts with the same secret', () => {
    const signature = parseHexDigest(digest)!
    expect(verifyHmac(signature, secret, message)).toBe(true)
    expect(verifyHmac(signature, secret, `${message}!`)).toBe(false)
    expect(verifyHmac(signature, 'other', message)).toBe(false)
    expect(verifyHmac(signature.subarray(0, 16), secret, message)).toBe(false)
    expect(verifyHmac(new Uint8Array(), secret, message)).toBe(false)
  })

  it.each(['', digest.slice(1), `${digest}00`, digest.toUpperCase(), `${digest.slice(1)}g`, `${digest}\n`])(
    'does not parse %j as a digest',
    (text) => {
      expect(parseHexDigest(text)).toBeNull()
    },
  )
})
