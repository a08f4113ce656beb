import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openIssuerKey } from '#dev/sandbox/issuer-key.ts'

const script = resolve(import.meta.dirname, '../../../dev/sandbox/print-token.ts')
let stateDir: string

beforeAll(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'print-token-'))
})
afterAll(() => rm(stateDir, { recursive: true }))

const printToken = (...flags: string[]) =>
  new Promise<{ code: number; stdout: string; stderr: string }>((done) => {
    const child = execFile(process.execPath, [script, ...flags], (_error, stdout, stderr) =>
      done({ code: child.exitCode ?? -1, stdout, stderr }),
    )
  })

describe('print-token', () => {
  it('says in one line that npm start is not running if it finds no signing key', async () => {
    const { code, stdout, stderr } = await printToken('--state-dir', join(stateDir, 'empty'))
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(
      /^token: npm start is not running in this folder: .*\. Run npm start in another terminal, then run this command again\.\n$/,
    )
  })

  it("prints only the account's token", async () => {
    const { kid, publicJwk } = await openIssuerKey(stateDir)
    const { code, stdout, stderr } = await printToken('--account', 'acct_bob', '--state-dir', stateDir)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^\S+\n$/)
    const keySet = createLocalJWKSet({ keys: [{ ...publicJwk, kty: 'EC', kid }] })
    const { payload } = await jwtVerify(stdout.trim(), keySet)
    expect(payload).toMatchObject({ sub: 'acct_bob', email: 'bob@example.test' })
  })

  it.each([
    ['an unknown flag', ['--acount', 'acct_bob'], "Unknown option '--acount'"],
    ['a flag without its value', ['--account'], "Option '--account <value>' argument missing"],
    ['an unexpected argument', ['acct_bob'], "Unexpected argument 'acct_bob'"],
    [
      'an invalid account id',
      ['--account', 'a b'],
      'invalid account id: a b: use 1 to 128 letters, digits, - or _',
    ],
  ])('exits with 1 and an error for %s', async (_, flags, reason) => {
    const { code, stdout, stderr } = await printToken(...flags)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(`token: ${reason}`)
  })
})
