import { Map as BaseMap, GPUInitializationError, LngLatBounds, setWorkerUrl } from 'maplibre-gl';
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?worker&url';
import 'maplibre-gl/dist/maplibre-gl.css';
import { useEffect, useRef, useState } from 'preact/hooks';
import { texts } from '../texts.ts';
import { colourOf, themeChanges } from '../theme.ts';
import { drawLit, drawMoves, drawPlaces, find, type Lit, litBox, type Palette, type View } from './draw.ts';
import { type Frame, frameOf, isCovered, moved, place } from './frame.ts';
import { PLAIN, readGround } from './ground.ts';
import { common, type Paint, Picture } from './picture.ts';
import { largestOf, pairsOf, type Scene, withPairs } from './scene.ts';
import type { Box } from './sheet.ts';

setWorkerUrl(workerUrl);

const MOTION_MS = 400;
/** Time of a frame, for drawing the plan that another one becomes. */
const PREPARE_MS = 6;
/** Free edges around what the map shows at first, in pixels: the legend lies on the lower one. */
const EDGE = 40;
const LOWER_EDGE = 112;
/** Share of the demand that the map shows at first. */
const SHOWN_SHARE = 0.99;
/** Margin that is drawn beyond each edge of the map, as a share of it: panning within it draws nothing anew. */
const MARGIN = 0.2;
/** Points are not drawn finer than this on any screen. */
const MAX_RATIO = 2;
/** How fine the library draws what is plain: its picture is not shown. */
const PLAIN_RATIO = 1 / 16;
/** While a hand zooms, the picture may be enlarged so much until it is drawn again. */
const MAX_ENLARGED = 3;

const { wheel, wheelOfMac, fingers } = texts.map.gestures;
const GESTURES = {
  'CooperativeGesturesHandler.WindowsHelpText': wheel,
  'CooperativeGesturesHandler.MacHelpText': wheelOfMac,
  'CooperativeGesturesHandler.MobileHelpText': fingers,
};

type Props = {
  label: string;
  scene: Scene;
  lit: Lit;
  /** Whether it stands in a page that scrolls: the wheel and one finger scroll on over it. */
  isInPage?: boolean;
  onHover: (lit: Lit) => void;
  onPick: (lit: Lit) => void;
};

/** The map; in words, why there is none: the browser cannot draw it, or there is nothing to draw. */
export default function MapCanvas(props: Props) {
  const [isMissing, setIsMissing] = useState(false);
  const why = props.scene.spots.size === 0 ? texts.map.noPlaces : isMissing ? texts.map.noWebGl : undefined;
  if (why === undefined) return <Drawn {...props} onMissing={() => setIsMissing(true)} />;
  return (
    <div class="map">
      <p class="state">{why}</p>
    </div>
  );
}

/**
 * Camera and gestures are those of MapLibre. A canvas above it has circles and arcs, a small one what is lit.
 * While the map moves, both are only moved with it, and drawn again when it rests: drawing takes longer than a frame,
 * moving a picture does not. For the same reason a plan that another one becomes is drawn once, and then pictures
 * are mixed. While something is lit, the large one fades, and stays as it is drawn.
 */
function Drawn({
  label,
  scene,
  lit,
  isInPage,
  onHover,
  onPick,
  onMissing,
}: Props & { onMissing: () => void }) {
  const host = useRef<HTMLDivElement>(null);
  const plan = useRef<HTMLCanvasElement>(null);
  const above = useRef<HTMLCanvasElement>(null);
  const layer = useRef<Layer>(undefined);
  const handlers = useRef({ onHover, onPick });
  handlers.current = { onHover, onPick };
  useEffect(() => {
    const own = createLayer(host.current!, plan.current!, above.current!, scene, isInPage === true);
    if (!own) return onMissing();
    layer.current = own;
    own.listen(handlers);
    return () => own.remove();
  }, []);
  useEffect(() => layer.current?.show(scene), [scene]);
  useEffect(() => layer.current?.light(lit), [lit.location, lit.move]);
  useEffect(() => layer.current?.recolour(), [themeChanges.value]);
  return (
    <div class="map" role="img" aria-label={label}>
      <div ref={host} class="ground" />
      <canvas ref={plan} />
      <div class="lit">
        <canvas ref={above} />
      </div>
    </div>
  );
}

/** Undefined if the browser has no WebGL, which MapLibre needs. */
function createLayer(...args: ConstructorParameters<typeof Layer>): Layer | undefined {
  try {
    return new Layer(...args);
  } catch (error) {
    if (error instanceof GPUInitializationError) return undefined;
    throw error;
  }
}

type Handlers = { current: Pick<Props, 'onHover' | 'onPick'> };

class Layer {
  readonly #host: HTMLElement;
  readonly #map: BaseMap;
  readonly #plan: Picture;
  readonly #above: Picture;
  #scene: Scene;
  /** When one plan began to become the other; undefined until that is seen. */
  #changedAt: number | undefined;
  #lit: Lit = {};
  #hovered: Lit = {};
  #palette: Palette;
  #size = { width: 0, height: 0 };
  #margin = { x: 0, y: 0 };
  /** The scene that both pictures show, or fade to; undefined once they have to be drawn again. */
  #drawn: { frame: Frame; scene: Scene; lit: Lit } | undefined;
  /** While one plan becomes the other: the one to come, with the arcs that both have. */
  #kept: Scene | undefined;
  #asked = 0;
  #isPlaced = false;
  #isRemoved = false;

  constructor(
    host: HTMLElement,
    plan: HTMLCanvasElement,
    above: HTMLCanvasElement,
    scene: Scene,
    isInPage: boolean,
  ) {
    this.#host = host;
    this.#plan = new Picture(plan);
    this.#above = new Picture(above);
    this.#scene = scene;
    this.#palette = readPalette(host);
    host.classList.add('plain');
    this.#map = new BaseMap({
      container: host,
      style: PLAIN,
      cooperativeGestures: isInPage,
      locale: GESTURES,
      attributionControl: false,
      dragRotate: false,
      pitchWithRotate: false,
      maxPitch: 0,
      fadeDuration: 0,
      pixelRatio: PLAIN_RATIO,
    });
    this.#map.touchZoomRotate.disableRotation();
    this.#map.keyboard.disableRotation();
    this.#map.getCanvas().setAttribute('aria-label', host.parentElement!.getAttribute('aria-label')!);
    // In the same frame as the map's own picture, so that both move as one.
    this.#map.on('render', () => this.#follow());
    this.#map.on('moveend', () => this.#ask());
    this.#map.on('resize', () => this.#fit());
    this.#fit();
    // Without its ground, the map is whole.
    readGround()
      .then((ground) => ground !== undefined && !this.#isRemoved && this.#lieOn(ground))
      .catch(() => {});
  }

  listen(handlers: Handlers): void {
    const hover = (found: Lit) => {
      if (found.location === this.#hovered.location && found.move === this.#hovered.move) return;
      this.#hovered = found;
      this.#map.getCanvas().style.cursor = (found.location ?? found.move) ? 'pointer' : '';
      handlers.current.onHover(found);
    };
    this.#map.on('mousemove', ({ point }) => {
      // A hand that drags points at nothing.
      if (!this.#map.isMoving()) hover(find(this.#scene, this.#view(this.#frame()), point));
    });
    this.#map.on('mouseout', () => hover({}));
    this.#map.on('click', ({ point }) =>
      handlers.current.onPick(find(this.#scene, this.#view(this.#frame()), point)),
    );
  }

  /** Shows another plan: what is shown becomes it, unless the reader wants no motion. */
  show(scene: Scene): void {
    this.#scene = scene;
    this.#ask();
  }

  light(lit: Lit): void {
    this.#lit = lit;
    this.#ask();
  }

  recolour(): void {
    this.#palette = readPalette(this.#host);
    this.#drawn = undefined;
    this.#ask();
  }

  remove(): void {
    this.#isRemoved = true;
    cancelAnimationFrame(this.#asked);
    this.#map.remove();
  }

  #lieOn(ground: Exclude<Awaited<ReturnType<typeof readGround>>, undefined>): void {
    this.#host.classList.remove('plain');
    this.#map.setPixelRatio(ratioOfScreen());
    this.#map.once('style.load', () => this.#map.setProjection({ type: 'mercator' }));
    this.#map.setStyle(ground);
  }

  #fit(): void {
    const { clientWidth: width, clientHeight: height } = this.#host;
    this.#size = { width, height };
    // A page that is still laid out has no size to fit anything into.
    if (!this.#isPlaced && width > 0 && height > 0) {
      this.#isPlaced = true;
      this.#map.fitBounds(boundsOf(this.#scene), { padding: edgesOf(this.#size), duration: 0 });
    }
    this.#margin = { x: Math.ceil(width * MARGIN), y: Math.ceil(height * MARGIN) };
    this.#drawn = undefined;
    this.#ask();
  }

  #frame(): Frame {
    const { lng: longitude, lat: latitude } = this.#map.getCenter();
    return frameOf({ longitude, latitude }, this.#map.getZoom(), this.#size);
  }

  #view(frame: Frame): View {
    return {
      project: (spot) => place(spot, frame),
      ...this.#size,
      ...largestOf(this.#scene),
      ...this.#scene.scale,
    };
  }

  /** Draws before the next frame, once however often it is asked for. */
  #ask(): void {
    if (this.#isRemoved) return;
    this.#asked ||= requestAnimationFrame(() => {
      this.#asked = 0;
      this.#draw(this.#frame());
      if (this.#isFading()) this.#fade();
    });
  }

  #isFading(): boolean {
    return this.#plan.isFading || this.#above.isFading;
  }

  /** Draws a part of the plan that is to come, or shows the next frame of the change to it. */
  #fade(): void {
    const now = performance.now();
    const isReady = [this.#plan, this.#above].every((picture) => picture.prepare(now + PREPARE_MS));
    if (!isReady) {
      this.#ask();
      return;
    }
    this.#changedAt ??= now;
    this.#mix(1 - (1 - Math.min(1, (now - this.#changedAt) / MOTION_MS)) ** 3);
    if (this.#isFading()) this.#ask();
  }

  #mix(share: number): void {
    for (const picture of [this.#plan, this.#above]) {
      picture.mix(share);
      picture.lay(STILL);
    }
  }

  /** Moves what is drawn to where the map is now; draws it again where it does not reach. */
  #follow(): void {
    // The first drawing is asked for already.
    if (!this.#drawn) return;
    const now = this.#frame();
    // A hand that moves the map ends a change.
    if (this.#isFading() && !isEqual(this.#drawn.frame, now)) this.#mix(1);
    const step = moved(this.#drawn.frame, now);
    if (step.scale > MAX_ENLARGED || !isCovered(step, this.#margin, this.#size)) {
      this.#draw(now);
      return;
    }
    this.#plan.lay(step);
    this.#above.lay(step);
  }

  /** Draws what is not shown yet: at once, or as a change if only the plan is another. */
  #draw(frame: Frame): void {
    const { width, height } = this.#size;
    // While the page is laid out, or goes, the map may have no size: there is nothing to draw on.
    if (width === 0 || height === 0) return;
    const drawn = this.#drawn;
    const [scene, lit, palette, ratio] = [this.#scene, this.#lit, this.#palette, ratioOfScreen()];
    const isSameFrame = drawn !== undefined && isEqual(drawn.frame, frame);
    const isSamePlan = isSameFrame && drawn.scene === scene;
    const isSameLit = isSameFrame && drawn.lit === lit;
    if (isSamePlan && isSameLit) return;
    this.#drawn = { frame, scene, lit };
    // Plans that follow each other faster than they can be drawn are shown at once.
    const isChange = isSameFrame && !isSamePlan && !this.#plan.isPreparing && !prefersStill();
    if (isChange) this.#changedAt = undefined;
    // Arcs that the old plan has alone go before those of the new one come: together they are more than can be read.
    // A change that cuts off another one may begin with arcs of either plan: those that both have stay.
    const shown = this.#isFading() ? this.#kept : drawn?.scene;
    const kept = isChange && shown ? withPairs(scene, pairsOf(shown)) : undefined;
    if (!isSamePlan) this.#kept = kept;
    const view = this.#view(frame);
    const { x, y } = this.#margin;
    const whole: Box = { left: -x, top: -y, right: width + x, bottom: height + y };
    const seen: Box = { left: 0, top: 0, right: width, bottom: height };
    const places: Paint = (context) => drawPlaces(context, scene, view, whole, palette);
    const movesOf =
      (some: Scene): Paint =>
      (context) =>
        drawMoves(context, some, view, whole, palette);
    const litOf =
      (some: Scene): Paint =>
      (context) =>
        drawLit(context, some, view, lit, palette);
    if (!isSamePlan) {
      const layers = { below: places, above: movesOf(scene) };
      this.#plan.draw(whole, ratio, layers, kept && { seen, kept: movesOf(kept) });
      this.#plan.lay(STILL);
    }
    const box = litBox(this.#above.context, scene, view, lit, palette);
    this.#host.parentElement!.classList.toggle('has-lit', box !== undefined);
    this.#above.draw(
      box ? common(box, whole) : NOWHERE,
      ratio,
      { above: litOf(scene) },
      isSameLit && kept ? { seen, kept: litOf(kept) } : undefined,
    );
    this.#above.lay(STILL);
  }
}

const STILL: Frame = { scale: 1, x: 0, y: 0 };

const NOWHERE: Box = { left: 0, top: 0, right: 0, bottom: 0 };

const prefersStill = () => window.matchMedia('(prefers-reduced-motion: reduce)').matches;

/** On a small map no more than a quarter of it: what is left has to hold all that is shown. */
function edgesOf({ width, height }: { width: number; height: number }) {
  const [side, top] = [Math.min(EDGE, width / 8), Math.min(EDGE, height / 8)];
  return { left: side, right: side, top, bottom: Math.min(LOWER_EDGE, height / 4) };
}

const isEqual = (a: Frame, b: Frame) => a.scale === b.scale && a.x === b.x && a.y === b.y;

const ratioOfScreen = () => Math.min(MAX_RATIO, window.devicePixelRatio);

function readPalette(host: HTMLElement): Palette {
  return {
    short: colourOf('--short'),
    even: colourOf('--even'),
    spare: colourOf('--spare'),
    text: colourOf('--text'),
    page: colourOf('--water'),
    accent: colourOf('--accent'),
    font: getComputedStyle(host.parentElement!).fontFamily,
  };
}

/** Around the locations that have nearly all demand, and those of all moves: far ones do not make the rest small. */
function boundsOf(scene: Scene): LngLatBounds {
  const spots = [...scene.spots.values()].toSorted((a, b) => b.demand - a.demand);
  const total = spots.reduce((sum, { demand }) => sum + demand, 0);
  const moving = new Set([...scene.arcs.values()].flatMap(({ from, to }) => [from, to]));
  const bounds = new LngLatBounds();
  let before = 0;
  for (const { id, longitude, latitude, demand } of spots) {
    if (before <= total * SHOWN_SHARE || moving.has(id)) bounds.extend([longitude, latitude]);
    before += demand;
  }
  return bounds;
}
