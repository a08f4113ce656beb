import { describe, expect, it } from 'vitest'
import { Email, readEmail } from '#contracts/shared/email.ts'
import { exactEmail as coreClaim, email as coreEmail } from '#dev/sandbox/core/input.ts'

// U+212A and U+017F fold to `k` and `s`; U+0130 and U+FF21 fold to letters that are not ASCII.
const lookalikes = [
  'bo\u212a@example.test',
  'bo@\u212aeep.test',
  'bos\u017f@example.test',
  'b\u0130@x.test',
  '\uff21@x.test',
]

const invalid = [
  '',
  'ann',
  'ann@',
  '@example.test',
  'ann@home',
  'a..b@example.test',
  '.a@example.test',
  'ann@example.test, bob@example.test',
  'ann@example.test\n',
  `${'a'.repeat(250)}@b.test`,
  ...lookalikes,
]

const valid = [
  'Ann@Example.TEST',
  'a&r@label.example',
  "o'neill%sales@label.example",
  'A@X.xn--p1ai',
  'KEN@K.test',
]
const fold = (address: string) => address.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

describe('Email', () => {
  it('lower-cases ASCII letters, as the core does', () => {
    for (const address of valid) {
      expect(Email.parse(` ${address} `)).toBe(fold(address))
      expect(coreEmail.parse(` ${address} `)).toBe(fold(address))
    }
  })

  it.each(invalid.filter((address) => !address.endsWith('\n')))('rejects %j, as the core does', (address) => {
    expect(Email.safeParse(address).success).toBe(false)
    expect(coreEmail.safeParse(address).success).toBe(false)
  })
})

describe('an e-mail claim', () => {
  it('is read with its ASCII letters lower-cased, as in the core', () => {
    for (const address of valid) {
      expect(readEmail(address)).toBe(fold(address))
      expect(coreClaim.parse(address)).toBe(fold(address))
    }
  })

  it.each([...invalid, ' ann@example.test', 7, null, undefined, ['ann@example.test']])(
    'counts as absent if it is %j, as in the core',
    (claim) => {
      expect(readEmail(claim)).toBeNull()
      expect(coreClaim.safeParse(claim).success).toBe(false)
    },
  )
})
