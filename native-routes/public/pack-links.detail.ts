import { detail } from '#contracts/public.pack-links.ts'
import { defineRoute } from '../define-route.ts'
import { presentPack } from '../pack-links/present-pack.ts'

export const showPublicPackLink = defineRoute(detail, presentPack)
