import { describe, expect, it } from 'vitest'
import { SettingsError } from '#gateway/settings/read-environment.ts'
import { ModelError } from '#native-routes/catalog-analysis/ports.ts'
import { describeError } from '#shared/describe-error.ts'

const secret = 'a-value-that-must-not-be-logged'

describe('describeError', () => {
  it('returns the type of a thrown value that is not an Error', () => {
    expect(describeError('text')).toEqual({ thrown: 'string' })
  })

  it('returns the name, code and frames of an error and its causes, without their messages', () => {
    const cause = Object.assign(new Error(secret), { code: 'ECONNREFUSED' })
    const described = describeError(new Error(secret, { cause }))
    expect(described).toMatchObject({ name: 'Error', cause: { name: 'Error', code: 'ECONNREFUSED' } })
    expect(JSON.stringify(described.at)).toContain('describe-error.test.ts')
    expect(JSON.stringify(described)).not.toContain(secret)
  })

  it('omits every message line that looks like a frame', () => {
    const error = new Error(`first line\n    at ${secret} (x:1:1)`)
    expect(JSON.stringify(describeError(error))).not.toContain(secret)
    error.message = 'replaced'
    error.stack = `Error: first line\n    at ${secret}\n    at read (file:///app/server.mjs:1:2)`
    expect(describeError(error).at).toEqual(['at read (file:///app/server.mjs:1:2)'])
  })

  it.each([
    new ModelError('status', 'the model returned status 429'),
    new SettingsError(['AI_MODEL is missing']),
  ])('returns the message of $name, which contains no data', (error) => {
    expect(describeError(error)).toMatchObject({ name: error.name, reason: error.message })
  })

  it('omits the message of a TypeError about a URL, because it repeats the URL', async () => {
    for (const url of [`https://user:${secret}@host.test/`, `https://host.test:${secret}/`]) {
      const error = await fetch(url).catch((error: unknown) => error)
      expect(describeError(error)).toMatchObject({ name: 'TypeError' })
      expect(JSON.stringify(describeError(error))).not.toContain(secret)
    }
  })

  it("omits the message of a TypeError about a header, because it repeats the header's value", () => {
    expect(describeError(new TypeError(`Invalid header value ${secret}`))).not.toHaveProperty('reason')
    expect(describeError(new TypeError('x is not a function'))).toMatchObject({
      reason: 'x is not a function',
    })
  })
})
