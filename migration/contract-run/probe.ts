import { isResponse } from '../diff/recorded-response.ts'
import { createRequest } from './request.ts'
import { type AccountSource, createScenarioContext } from './scenario-context.ts'
import { observe, type Side } from './side.ts'

const anyRequest = { method: 'GET', path: '/v1/libraries', headers: {} }

/** Both sides must answer something: comparing silence with silence would find no difference. */
export const requireReachable = async (...sides: readonly Side[]) => {
  for (const side of sides) {
    if (!isResponse(await observe(side, anyRequest, [])))
      throw new Error(`the ${side.name} side does not answer at ${side.origin}`)
  }
}

/** Whether what is made on one side is there on the other: only then can reads cross the sides. */
export const shareState = async (native: Side, core: Side, accounts: AccountSource) => {
  const { world } = createScenarioContext({ side: native, seller: native, source: accounts, aliases: [] })
  const account = await world.account()
  const { id } = await account.call('libraries.create', { body: { name: world.unique('Shared by both') } })
  const params = { libraryId: id }
  const answer = await observe(core, createRequest('libraries.detail', { as: account, params }), [])
  await account.call('libraries.remove', { params })
  return isResponse(answer) && answer.status === 200
}
