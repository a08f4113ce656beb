import { isAnswer } from '../diff/answer.ts'
import { requestOf } from './request.ts'
import { observe, type Side } from './side.ts'
import { type AccountSource, createWorld } from './world.ts'

const anyRequest = { method: 'GET', path: '/v1/libraries', headers: {} }

/** Both sides must answer something: comparing silence with silence would find no difference. */
export const requireReachable = async (...sides: readonly Side[]) => {
  for (const side of sides) {
    if (!isAnswer(await observe(side, anyRequest, [])))
      throw new Error(`the ${side.name} side does not answer at ${side.origin}`)
  }
}

/** Whether what is made on one side is there on the other: only then can reads cross the sides. */
export const shareState = async (native: Side, core: Side, accounts: AccountSource) => {
  const { world } = createWorld({ side: native, seller: native, source: accounts, aliases: [] })
  const account = await world.account()
  const { id } = await account.call('libraries.create', { body: { name: world.unique('Shared by both') } })
  const params = { libraryId: id }
  const answer = await observe(core, requestOf('libraries.detail', { as: account, params }), [])
  await account.call('libraries.remove', { params })
  return isAnswer(answer) && answer.status === 200
}
