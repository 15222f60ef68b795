"""The family tree as data: every model is its parent plus a visible difference. Notebook 06 walks through it.

- `tree`: all models, and how to find one; `row`: what is noted of a model
- `encoders`, `decoders`, `llamas`, `encoder_decoders`: the rows
- `build`: a model with its published sizes, without memory; a small version that runs
- `describe`: the parts of a built model, and the differences between two
- `attributes`, `structure`, `recurrent`: how each part is read off a model; `block_diagram`: its layers as boxes
- `costs`: parameters, work per token and cache bytes; `scaling`: numbers that grow with the text

`make tables` writes the tree to `docs/models.md`. The functions `build` and `describe` are in the modules of that name.
"""

from __future__ import annotations

from anatomy_utils.taxonomy import (
    attributes as attributes,
    block_diagram as block_diagram,
    build as build,
    costs as costs,
    decoders as decoders,
    describe as describe,
    encoder_decoders as encoder_decoders,
    encoders as encoders,
    llamas as llamas,
    recurrent as recurrent,
    row as row,
    scaling as scaling,
    structure as structure,
    tree as tree,
)
from anatomy_utils.taxonomy.attributes import (
    biases as biases,
    embedding_norm as embedding_norm,
    feed_forward as feed_forward,
    heads as heads,
    last_norm as last_norm,
    memory as memory,
    norm as norm,
    norm_placement as norm_placement,
    order as order,
    output as output,
    over_layers as over_layers,
    positions as positions,
    query_key_norms as query_key_norms,
    reads as reads,
    rows_of_positions as rows_of_positions,
    scale as scale,
    sees as sees,
    segments as segments,
    sharing as sharing,
    table_scale as table_scale,
    table_width as table_width,
    window as window,
)
from anatomy_utils.taxonomy.block_diagram import (
    BlockDrawing as BlockDrawing,
    StackDrawing as StackDrawing,
    drawn as drawn,
    with_head as with_head,
)
from anatomy_utils.taxonomy.build import small as small, small_config as small_config
from anatomy_utils.taxonomy.costs import (
    cache_bytes as cache_bytes,
    organs as organs,
    parameters as parameters,
    work_per_token as work_per_token,
)
from anatomy_utils.taxonomy.describe import (
    Anatomy as Anatomy,
    Difference as Difference,
    ModelPart as ModelPart,
    anatomy_of as anatomy_of,
    changes as changes,
    difference as difference,
)
from anatomy_utils.taxonomy.recurrent import (
    bodies_of as bodies_of,
    cache_of as cache_of,
    drawings_of as drawings_of,
    is_root as is_root,
    organs_of as organs_of,
    parts_of as parts_of,
    work_of as work_of,
)
from anatomy_utils.taxonomy.row import Model as Model, Size as Size
from anatomy_utils.taxonomy.scaling import Growing as Growing
from anatomy_utils.taxonomy.structure import stacks_of as stacks_of, texts_of as texts_of
from anatomy_utils.taxonomy.tree import (
    TREE as TREE,
    children as children,
    find as find,
    lineage as lineage,
    trained_on as trained_on,
)
