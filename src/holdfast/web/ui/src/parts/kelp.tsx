// The motif: kelp that grows from its holdfast on the rock up to the surface.

/** A stand of kelp at the foot of the side bar. */
export function Forest() {
  return (
    <svg class="forest" viewBox="0 0 240 220" preserveAspectRatio="xMidYMax meet" aria-hidden="true">
      <g class="forest-far">
        <path class="stipe" d="M40 210c-8-30 10-50 2-84s8-50 2-84" />
        <path class="blade" d="M42 150c-16 0-26-8-30-20 16 0 27 7 30 20zM44 96c14-2 24-10 27-22-15 2-25 9-27 22zM43 62c-13-2-21-9-24-19 13 1 22 8 24 19z" />
        <path class="stipe" d="M196 210c8-28-8-44 0-74s-6-42 0-62" />
        <path class="blade" d="M197 160c15-1 25-9 28-20-15 1-25 8-28 20zM195 118c-14-2-23-9-26-20 14 1 24 8 26 20z" />
      </g>
      <g class="forest-near">
        <path class="stipe" d="M118 204c-10-34 12-56 2-92s8-44 2-70" />
        <path class="blade" d="M119 168c-19 1-31-8-36-23 19-1 33 7 36 23zM122 134c18 0 30-9 34-24-18 0-31 8-34 24zM119 98c-16 0-27-8-31-21 17-1 29 7 31 21zM122 64c14-1 23-8 26-19-14 1-24 7-26 19z" />
        <circle class="float" cx="128" cy="140" r="5" />
        <circle class="float" cx="113" cy="104" r="4.500" />
        <circle class="float" cx="127" cy="68" r="4" />
      </g>
      <path class="forest-rock" d="M0 220c20-16 46-14 70-16 20-2 30-8 52-8s34 6 54 8c26 2 46 2 64 16z" />
      <path class="stipe" d="M118 198c-12 2-20 6-28 13M118 198c-5 4-8 8-10 14M119 198c6 4 9 8 11 14M119 198c12 2 20 5 28 11" />
    </svg>
  );
}

export type Depth = "surface" | "water" | "rock";

/** Each reach enters above and leaves below in the middle, so that the stipe runs through unbroken. */
const STIPES: Record<Depth, string> = {
  surface: "M96 30C80 36 64 52 70 76s10 44 10 74",
  water: "M80 0c0 28-12 44-6 76s6 46 6 74",
  rock: "M80 0c0 28-10 44-5 76s5 46 5 74",
};

/**
 * One reach of the stipe beside one verb: the reaches join into a single plant from the surface to the rock.
 * The stipe stretches with its row; leaf, float and root keep their shape.
 */
export function Reach({ depth, side, lit }: { depth: Depth; side: "left" | "right"; lit: boolean }) {
  return (
    <div class={`reach reach-${depth}`} aria-hidden="true">
      <div class="reach-upper">
        <svg class="reach-stipe" viewBox="0 0 160 150" preserveAspectRatio="none">
          <path class="stipe" d={STIPES[depth]} />
        </svg>
        <svg class="reach-leaf" viewBox="0 0 160 150">
          <g class={side === "left" ? "leaf" : "leaf leaf-right"}>
            <path class="blade" d="M74 78C50 92 20 80 4 50c30-8 60 4 70 28z" />
            <path class="vein" d="M72 76C54 70 30 60 12 52" />
          </g>
          {depth === "surface" && <path class="blade" d="M92 33c4-16 22-26 44-26-2 20-20 32-44 26z" />}
          <circle class={lit ? "float float-lit" : "float"} cx="75" cy="76" r="13" />
          {lit && <circle class="glint" cx="70.500" cy="71" r="3.500" />}
        </svg>
      </div>
      {depth === "rock" && <Root />}
    </div>
  );
}

/** The holdfast itself: what grips so that all above may sway. */
function Root() {
  return (
    <svg class="reach-root" viewBox="0 0 160 104">
      <path class="rock" d="M-90 104c6-30 34-44 70-50 30-5 40-22 74-26 36-4 60 2 84 16 26 14 64 16 84 60z" />
      <path class="roots roots-back" d="M78 8C60 14 40 24 26 52M82 8c20 4 40 14 56 36M79 10c-6 16-10 34-8 58M82 10c8 14 18 30 20 52" />
      <path class="roots" d="M80-2v8M80 4C66 12 52 26 44 60M79 4c-10 14-18 34-20 62M80 4c0 20 2 40 6 68M81 4c8 14 22 24 32 56M81 4c14 8 32 14 46 46" />
    </svg>
  );
}

/** The water's skin, as wide as the picture. */
export function Surface() {
  return (
    <svg class="surface" viewBox="0 0 1200 40" preserveAspectRatio="none" aria-hidden="true">
      <path class="wave wave-far" d="M0 18c100-16 200-16 300 0s200 16 300 0 200-16 300 0 200 16 300 0V0H0z" />
      <path class="wave" d="M0 10c75 12 150 12 225 0s150-12 225 0 150 12 225 0 150-12 225 0 150 12 225 0 75-6 75-6V0H0z" />
    </svg>
  );
}

/** Far kelp and the light that falls between it. */
export function Depths() {
  return (
    <svg class="depths" viewBox="0 0 600 800" preserveAspectRatio="xMaxYMax slice" aria-hidden="true">
      <path class="ray" d="M180 0 20 800h120L250 0zM340 0 260 800h150L430 0zM500 0l-20 800h100L600 0z" />
      <g class="far">
        <path class="stipe" d="M470 800c-30-120 40-200 4-320s30-200 4-330" />
        <path class="blade" d="M476 640c-60 4-100-24-116-74 60-4 106 22 116 74zM484 540c56-2 94-30 106-78-56 2-98 28-106 78zM470 420c-54 2-90-24-104-68 54-2 96 22 104 68zM486 320c50-2 84-26 96-68-50 0-88 24-96 68zM476 220c-44 0-74-20-86-56 46-2 78 18 86 56z" />
      </g>
      <g class="mid">
        <path class="stipe" d="M560 800c-20-80 26-140 2-230s20-130 4-220" />
        <path class="blade" d="M562 690c-48 2-80-20-92-58 48-4 84 16 92 58zM572 590c-46-2-74-22-84-58 46 0 78 20 84 58zM562 470c-42 0-68-20-78-52 42-2 72 16 78 52z" />
      </g>
      <path class="bed" d="M0 800c60-30 140-20 220-34 60-12 110-36 190-34 90 4 130 30 190 34v34z" />
    </svg>
  );
}
