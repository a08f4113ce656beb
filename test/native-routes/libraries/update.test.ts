import { describe, expect, it } from 'vitest'
import { errorBody } from '#test/support/error-body.ts'
import { createLibrary, shareLibrary } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'

describe('libraries.update', () => {
  const gateway = startTestGateway()
  const pathOf = ({ id }: { id: string }) => `/v1/libraries/${id}`

  it('changes the given fields and keeps the others', async () => {
    const alice = await gateway.signUp()
    const library = await createLibrary(alice)
    const described = await alice.patch(pathOf(library), { description: 'Two\nlines' })
    expect(described.status).toBe(200)
    expect(described.body).toEqual({ ...library, description: 'Two\nlines', updatedAt: expect.any(String) })
    const renamed = await alice.patch(pathOf(library), { name: ' Masters ' })
    expect(renamed.body).toMatchObject({ name: 'Masters', description: 'Two\nlines' })
    const cleared = await alice.patch(pathOf(library), { description: null })
    expect(cleared.body).toMatchObject({ name: 'Masters', description: null })
  })

  it('changes updatedAt and keeps createdAt', async () => {
    const alice = await gateway.signUp()
    const library = await createLibrary(alice)
    await new Promise((resolve) => setTimeout(resolve, 5))
    const { body } = await alice.patch(pathOf(library), { name: 'Masters' })
    expect(body.createdAt).toBe(library.createdAt)
    expect(Date.parse(body.updatedAt)).toBeGreaterThan(Date.parse(library.updatedAt))
  })

  it('accepts the library’s own name in a different letter case', async () => {
    const alice = await gateway.signUp()
    const library = await createLibrary(alice, 'demos')
    expect((await alice.patch(pathOf(library), { name: 'demos' })).status).toBe(200)
    expect((await alice.patch(pathOf(library), { name: 'DEMOS' })).body).toMatchObject({ name: 'DEMOS' })
  })

  it('accepts a change by an admin', async () => {
    const [alice, bob] = await Promise.all([gateway.signUp(), gateway.signUp()])
    const library = await createLibrary(alice)
    await shareLibrary(alice, library, bob, 'admin')
    expect((await bob.patch(pathOf(library), { name: 'By Bob' })).body).toMatchObject({ name: 'By Bob' })
  })

  it.each([
    ['an empty body', {}, ''],
    ['unknown fields only', { colour: 'blue' }, ''],
    ['a blank name', { name: ' ' }, 'name'],
    ['a null name', { name: null }, 'name'],
    ['a description of 2001 characters', { description: 'x'.repeat(2001) }, 'description'],
  ])('returns 400 for %s', async (_, change, path) => {
    const alice = await gateway.signUp()
    const library = await createLibrary(alice)
    const response = await alice.patch(pathOf(library), change)
    expect(response.status).toBe(400)
    expect(response.body).toEqual(
      errorBody('validation_error', { issues: [{ path, message: expect.any(String) }] }),
    )
  })

  it('returns 409 to the owner and to an admin for the name of the owner’s other library', async () => {
    const [alice, bob] = await Promise.all([gateway.signUp(), gateway.signUp()])
    await createLibrary(alice, 'Taken')
    await createLibrary(bob, 'Of Bob')
    const library = await createLibrary(alice)
    await shareLibrary(alice, library, bob, 'admin')
    for (const account of [alice, bob]) {
      const response = await account.patch(pathOf(library), { name: 'TAKEN', description: 'not this either' })
      expect(response.status).toBe(409)
      expect(response.body).toEqual(errorBody('library_name_conflict'))
    }
    expect((await alice.get(pathOf(library))).body).toMatchObject({ name: 'Demos', description: null })
    expect((await bob.patch(pathOf(library), { name: 'Of Bob' })).status).toBe(200)
  })

  it.each(['viewer', 'editor'] as const)('returns 403 to a guest with the access type %s', async (grade) => {
    const [alice, bob] = await Promise.all([gateway.signUp(), gateway.signUp()])
    const library = await createLibrary(alice)
    await shareLibrary(alice, library, bob, grade)
    const response = await bob.patch(pathOf(library), {})
    expect(response.status).toBe(403)
    expect(response.body).toEqual(errorBody('forbidden'))
  })

  it('accepts only one of several concurrent changes to the same name', async () => {
    const alice = await gateway.signUp()
    const libraries = await Promise.all(['One', 'Two', 'Three'].map((name) => createLibrary(alice, name)))
    const responses = await Promise.all(
      libraries.map((library) => alice.patch(pathOf(library), { name: 'Race' })),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409, 409])
  })
})
