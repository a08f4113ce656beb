import { describe, expect, it } from 'vitest'
import { createSignature } from '#migration/diff/verdict.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { testOperators } from '#test/support/operators.ts'
import { createConsoleClient } from './browse.ts'

const label = 'libraries.update'

const differences = {
  ofWrite: { kind: 'value', path: 'body.name', class: 'regression' },
  ofRead: { kind: 'value', path: 'libraries.detail body.name', class: 'regression' },
  leaked: { kind: 'extra', path: 'body.?', class: 'critical' },
  lost: { kind: 'effect', path: 'libraries.detail body.name', class: 'regression' },
} as const

type Name = keyof typeof differences

const signatureOf = (name: Name) => createSignature(label, differences[name].path, differences[name].kind)

describe("a difference's page", () => {
  const gateway = startTestGateway({ core: 'recording', environment: { OPERATORS: testOperators } })
  const { get, signIn } = createConsoleClient(gateway)

  const storeAll = async () => {
    const { sql } = gateway.database
    for (const name of Object.keys(differences) as Name[]) {
      const { kind, path, class: found } = differences[name]
      await sql`
        insert into mismatch
          (label, signature, evidence_key, kind, path, class, blame, count, request_ids, first_at, last_at)
        values (${label}, ${signatureOf(name)}, ${'0'.repeat(32)}, ${kind}, ${path}, ${found}, 'native', 1,
          '{}', statement_timestamp(), statement_timestamp())
        on conflict do nothing`
    }
  }
  const show = async (name: Name) => {
    await storeAll()
    const { body } = await get(`/console/routes/${label}/mismatches/${signatureOf(name)}`, await signIn())
    return String(body).replaceAll('&#39;', "'")
  }

  it('shows an entry that accepts it, for the read if it is in a read after a write', async () => {
    expect(await show('ofWrite')).toContain("label: 'libraries.update',\n    path: 'body.name',")
    expect(await show('ofRead')).toContain("label: 'libraries.detail',\n    path: 'body.name',")
  })

  it.each(['leaked', 'lost'] as const)('shows no entry for what is %s', async (name) => {
    const page = await show(name)
    expect(page).toContain('is never accepted.')
    expect(page).not.toContain('expires:')
  })
})
