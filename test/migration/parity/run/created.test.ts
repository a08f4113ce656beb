import { expect, it } from 'vitest'
import { contracts } from '#contracts/registry.ts'
import { labels, rowOf } from '#contracts/shared/row.ts'
import { removals, unremovable } from '#migration/parity/run/created.ts'

// These are removed with the library or pack that they belong to.
const endWithTheirParent = ['libraries.shares.create', 'packs.invitations.create']

it('a parity run removes everything that routes create, or reports it as remaining', () => {
  const creating = labels.filter((label) => 201 in contracts[label].responses)
  expect(creating.length).toBeGreaterThan(8)
  const forgotten = creating.filter(
    (label) => !(label in removals) && !(label in unremovable) && !endWithTheirParent.includes(label),
  )
  expect(forgotten).toEqual([])
})

it('each removal names a DELETE route and the parameter at the end of its path', () => {
  for (const { label, param } of Object.values(removals)) {
    expect(rowOf(label).method).toBe('DELETE')
    expect(rowOf(label).path.endsWith(`:${param}`)).toBe(true)
  }
})
