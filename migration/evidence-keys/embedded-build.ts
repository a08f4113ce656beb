import { id, keys } from 'crossfade:build'
import { isLabel } from '#contracts/shared/row.ts'
import type { BuildIdentity } from '../model/evidence-keys.ts'

export const readOwnBuild = (): BuildIdentity => ({
  id,
  keys: new Map(Object.entries(keys).flatMap(([label, key]) => (isLabel(label) ? [[label, key]] : []))),
})
