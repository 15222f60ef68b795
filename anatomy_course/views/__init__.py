"""Live views: a folder each, with the class, which draws arrays, and a function that reads a model for it."""

from anatomy_course.views._kit.token_text import (
    Spelling as Spelling,
    byte_text as byte_text,
    readable as readable,
    spelling as spelling,
)
from anatomy_course.views._kit.writing import (
    check_known as check_known,
    continuation as continuation,
    room_to_write as room_to_write,
)
from anatomy_course.views.attention_stepper.view import (
    AttentionStepper as AttentionStepper,
    Steps as Steps,
    attention_stepper as attention_stepper,
)
from anatomy_course.views.attention_viewer.view import (
    AttentionViewer as AttentionViewer,
    attention_viewer as attention_viewer,
    first_word as first_word,
    last_word as last_word,
    weights_of_layers as weights_of_layers,
)
from anatomy_course.views.beam_tree.view import (
    BeamTree as BeamTree,
    Found as Found,
    Greedy as Greedy,
    Node as Node,
    beam_tree as beam_tree,
)
from anatomy_course.views.bertviz.neurons import NeuronView as NeuronView, neuron_view as neuron_view
from anatomy_course.views.bertviz.view import (
    BertvizView as BertvizView,
    checked_weights as checked_weights,
    frame_page as frame_page,
    head_view as head_view,
    model_view as model_view,
    rounded_numbers as rounded_numbers,
)
from anatomy_course.views.block_stepper.view import (
    BlockStepper as BlockStepper,
    BlockVectors as BlockVectors,
    block_of as block_of,
    block_stepper as block_stepper,
)
from anatomy_course.views.cache_lab.view import CacheLab as CacheLab, CacheStep as CacheStep, cache_lab as cache_lab
from anatomy_course.views.card.view import Card as Card
from anatomy_course.views.choice.view import ChoiceQuestion as ChoiceQuestion
from anatomy_course.views.compare_models.view import (
    CompareModels as CompareModels,
    compare_models as compare_models,
    quantity_at as quantity_at,
)
from anatomy_course.views.debugging_lab.view import (
    Bed as Bed,
    DebuggingLab as DebuggingLab,
    LabFunctions as LabFunctions,
    Result as Result,
    Twin as Twin,
)
from anatomy_course.views.decoding_stepper.view import (
    DecodingStepper as DecodingStepper,
    Option as Option,
    Rule as Rule,
    Writing as Writing,
    WrittenToken as WrittenToken,
    step_through as step_through,
)
from anatomy_course.views.depth_lab.view import (
    DepthLab as DepthLab,
    Setting as Setting,
    depth_lab as depth_lab,
    name_of as name_of,
)
from anatomy_course.views.family_tree.view import (
    FamilyTree as FamilyTree,
    card as card,
    cards as cards,
    family_tree as family_tree,
    run as run,
)
from anatomy_course.views.first_words.view import (
    EncoderReader as EncoderReader,
    FirstWords as FirstWords,
    Heads as Heads,
    Loader as Loader,
    ModelWriter as ModelWriter,
    Rival as Rival,
    Written as Written,
    load_reader as load_reader,
    load_writer as load_writer,
    recording as recording,
    striking as striking,
    type_a_sentence as type_a_sentence,
)
from anatomy_course.views.head_board.view import HeadBoard as HeadBoard, head_board as head_board
from anatomy_course.views.head_splitting.view import (
    HeadSplitting as HeadSplitting,
    Lane as Lane,
    SplitHeads as SplitHeads,
    head_splitting as head_splitting,
)
from anatomy_course.views.head_words.view import HeadWords as HeadWords, head_words as head_words
from anatomy_course.views.live_curves.view import LiveCurves as LiveCurves, Record as Record, thin as thin
from anatomy_course.views.logit_lens.view import LogitLens as LogitLens, Readings as Readings, logit_lens as logit_lens
from anatomy_course.views.logits_explorer.view import (
    Distribution as Distribution,
    LogitsExplorer as LogitsExplorer,
    Outputs as Outputs,
    distribution as distribution,
    explore_logits as explore_logits,
    grouped as grouped,
)
from anatomy_course.views.mask_painter.view import MaskPainter as MaskPainter, mask_painter as mask_painter
from anatomy_course.views.mixer.view import Mixer as Mixer, mixer as mixer
from anatomy_course.views.nearest_words.view import (
    JOURNEY as JOURNEY,
    NearestWords as NearestWords,
    WordStates as WordStates,
    nearest_words as nearest_words,
)
from anatomy_course.views.neuron_reader.view import NeuronReader as NeuronReader, neuron_reader as neuron_reader
from anatomy_course.views.objective_explorer.view import (
    ObjectiveExplorer as ObjectiveExplorer,
    objective_explorer as objective_explorer,
)
from anatomy_course.views.part_swapper.view import PartSwapper as PartSwapper, part_swapper as part_swapper
from anatomy_course.views.position_explorer.view import (
    PositionExplorer as PositionExplorer,
    Scheme as Scheme,
    position_explorer as position_explorer,
    spread as spread,
)
from anatomy_course.views.pronoun_heads.view import (
    AttentionKind as AttentionKind,
    HeadFunctions as HeadFunctions,
    Pair as Pair,
    PronounHeads as PronounHeads,
    pronoun_heads as pronoun_heads,
)
from anatomy_course.views.residual_stream.view import (
    ResidualStream as ResidualStream,
    residual_stream as residual_stream,
)
from anatomy_course.views.scale_explorer.view import (
    ScaleExplorer as ScaleExplorer,
    measure as measure,
    sample as sample,
)
from anatomy_course.views.setup_check.check import CheckLine as CheckLine, SetupReport as SetupReport, check as check
from anatomy_course.views.setup_check.view import SetupList as SetupList
from anatomy_course.views.spoken_words.view import SpokenWords as SpokenWords, spoken_words as spoken_words
from anatomy_course.views.transformer_map.drawing import drawing as drawing
from anatomy_course.views.transformer_map.view import TransformerMap as TransformerMap
from anatomy_course.views.translation_flow.view import (
    DrawnTensor as DrawnTensor,
    Moment as Moment,
    TranslationFlow as TranslationFlow,
    TranslationRun as TranslationRun,
    run_of as run_of,
    translation_flow as translation_flow,
)
from anatomy_course.views.translator.view import (
    Decoded as Decoded,
    Translation as Translation,
    Translator as Translator,
    UnknownWords as UnknownWords,
    decode as decode,
    known_words as known_words,
    translation_of as translation_of,
    translator as translator,
)
