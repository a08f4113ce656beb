import { presentation } from '#contracts/pack-links.ts'
import { defineRoute } from '../define-route.ts'
import { presentPack } from './present-pack.ts'

export const showPackPresentation = defineRoute(presentation, presentPack)
