import { id, keys } from 'crossfade:build'
import { isLabel } from '#contracts/shared/row.ts'
import type { BuildIdentity } from '../model/evidence-keys.ts'

/** Returns the identity of the code, which was computed from its sources when the bundle was built. */
export const readOwnBuild = (): BuildIdentity => ({
  id,
  keys: new Map(Object.entries(keys).flatMap(([label, key]) => (isLabel(label) ? [[label, key]] : []))),
})
