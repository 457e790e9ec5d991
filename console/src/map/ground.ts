import type { StyleSpecification } from 'maplibre-gl';
import { SERVICE } from '../service.ts';

/** No tiles: the ground is the colour behind the map, which the style sheet gives it. */
export const PLAIN: StyleSpecification = { version: 8, sources: {}, layers: [] };

/** The ground that the service's setting names: tiles or a style of its own; undefined without it. */
export async function readGround(): Promise<StyleSpecification | string | undefined> {
  const response = await fetch(`${SERVICE}/console/settings.json`);
  const { map_url: url } = (await response.json()) as { map_url: string | null };
  if (url === null) return undefined;
  if (!url.includes('{z}')) return url;
  return {
    ...PLAIN,
    sources: { tiles: { type: 'raster', tiles: [url], tileSize: 256 } },
    layers: [{ id: 'tiles', type: 'raster', source: 'tiles' }],
  };
}
